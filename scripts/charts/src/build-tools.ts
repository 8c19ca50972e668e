// npm run chart:tools: builds the tools that the chart is tested with, once for what they are made of.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CRD_MODULES, missingTools, SOURCES, toolsFolder, versionOf } from './tools.ts';

const NEEDED = [1, 26];
/** The parts of the one program that main.go makes of Kubernetes. */
const PARTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'];
/** The behaviour of simulated nodes and pods. */
const STAGES = ['node/fast/node-initialize', 'node/heartbeat/node-heartbeat'].concat(
  ['pod-ready', 'pod-complete', 'pod-delete'].map((name) => `pod/fast/${name}`),
);

const go = (...args: string[]): string =>
  execFileSync('go', args, {
    cwd: SOURCES,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' },
  });

/** Returns the reason why Go cannot build them; undefined if it can. */
function missingGo(): string | undefined {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { cwd: '/', encoding: 'utf8' });
  const needed = `Go ${NEEDED.join('.')} or later`;
  if (status !== 0) return `there is no Go here; the tools of the chart are built with ${needed}`;
  const [major = 0, minor = 0] = stdout.trim().replace('go', '').split('.').map(Number);
  return major > NEEDED[0]! || (major === NEEDED[0] && minor >= NEEDED[1]!)
    ? undefined
    : `Go is ${stdout.trim()} here; the tools of the chart are built with ${needed}`;
}

function buildPrograms(folder: string): void {
  const kubernetes = versionOf('k8s.io/kubernetes');
  const [, minor] = /^v1\.(\d+)\./.exec(kubernetes)!;
  const version = 'k8s.io/component-base/version';
  const told = {
    [`${version}.gitVersion`]: kubernetes,
    [`${version}.gitMajor`]: '1',
    [`${version}.gitMinor`]: minor!,
    [`${version}.gitTreeState`]: 'clean',
    'helm.sh/helm/v4/internal/version.version': versionOf('helm.sh/helm/v4'),
  };
  const flags = ['-s', '-w', ...Object.entries(told).map(([name, value]) => `-X ${name}=${value}`)];
  go('build', '-trimpath', '-ldflags', flags.join(' '), '-o', `${folder}/`, './...', 'tool');
  for (const name of PARTS) symlinkSync('box', join(folder, name));
}

function writeStages(folder: string): void {
  const kwok = go('list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok').trim();
  const stages = join(kwok, 'kustomize/stage');
  const text = STAGES.map((name) => readFileSync(join(stages, `${name}.yaml`), 'utf8'));
  writeFileSync(join(folder, 'stages.yaml'), text.join('\n---\n'));
}

function writeCustomResources(folder: string): void {
  const texts = CRD_MODULES.flatMap(({ module, files }) => {
    const { Dir } = JSON.parse(go('mod', 'download', '-json', module)) as { Dir: string };
    return files.map((file) => readFileSync(join(Dir, file), 'utf8'));
  });
  writeFileSync(join(folder, 'crds.yaml'), texts.join('\n---\n'));
}

if (missingTools() !== undefined) {
  const missing = missingGo();
  if (missing !== undefined) {
    console.error(missing);
    process.exit(1);
  }
  const folder = toolsFolder();
  mkdirSync(dirname(folder), { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  console.log(`building the tools of the chart: ${folder}`);
  buildPrograms(made);
  writeStages(made);
  writeCustomResources(made);
  writeFileSync(join(made, 'complete'), '');
  // A concurrent build produces the same files.
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
}
console.log(`tools of the chart: ${toolsFolder()}`);
