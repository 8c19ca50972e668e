// node docker/src/node-tools.ts: builds the programs of a node besides the control plane, and prints their folder. They come from
// Go modules (node/go.mod, node/go.sum) and stay in the user's cache, beside the tools of the chart, by a hash of their sources.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const SOURCES = join(import.meta.dirname, '../node');
const CHART_TOOLS = join(import.meta.dirname, '../../scripts/charts/src/build-tools.ts');
const FILES = ['go.mod', 'go.sum', 'main.go', 'pause/main.go', 'dns/main.go'];

/** Folders of the programs of a cluster. */
export interface ClusterTools {
  /** etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl and helm. */
  control: string;
  /** kubelet, kube-proxy, the plugins bridge, host-local, loopback and portmap, and pause and dns, which run in pods. */
  node: string;
}

const go = (...args: string[]): string =>
  execFileSync('go', args, {
    cwd: SOURCES,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' },
  });

/** Builds the programs of a node if they are missing: it needs Go 1.26 and takes some minutes once. */
function nodeTools(): string {
  const made = createHash('sha256');
  for (const file of [...FILES.map((name) => join(SOURCES, name)), import.meta.filename])
    made.update(readFileSync(file));
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'kontoport/node-tools', made.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  const version = go('list', '-m', '-f', '{{.Version}}', 'k8s.io/kubernetes').trim();
  const variable = 'k8s.io/component-base/version.gitVersion';
  go(
    'build',
    '-trimpath',
    '-ldflags',
    `-s -w -X ${variable}=${version}`,
    '-o',
    `${unfinished}/`,
    './...',
    'tool',
  );
  for (const name of ['kubelet', 'kube-proxy']) symlinkSync('node', join(unfinished, name));
  // A concurrent build produces the same files.
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
  return folder;
}

/** The folder of the chart's tools, as `chart:tools` prints it. */
function controlTools(): string {
  const said = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', CHART_TOOLS], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return /^tools of the chart: (.*)$/m.exec(said)![1]!;
}

/** Builds missing programs. @throws Error where Go is missing or too old */
export const clusterTools = (): ClusterTools => ({ control: controlTools(), node: nodeTools() });

if (process.argv[1] === import.meta.filename) console.log(JSON.stringify(clusterTools()));
