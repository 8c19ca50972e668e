// node scripts/repo/openapi-tools.ts: installs validators of the OpenAPI documents, in the languages of callers, into the user's
// cache. CI installs Go, Java, Maven and Python first.
import { execFileSync, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

interface Tool {
  /** The requirements of its installation. */
  readonly needs: string;
  /** Its folder once it is installed. */
  readonly folder: string;
  readonly install: (folder: string) => readonly string[];
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kontoport');
const REQUIREMENTS = join(import.meta.dirname, '../../.ci/openapi.txt');
const NODE_PACKAGES = join(import.meta.dirname, '../../.ci/openapi-node');

const hashOf = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);

function goTool(module: string, version: string): Tool {
  const program = module.split('/').at(-1)!;
  const folder = join(CACHE, 'openapi', program, version);
  return {
    needs: 'Go 1.26',
    folder,
    install: () => ['go', 'install', '-trimpath', '-ldflags=-s -w', `${module}@${version}`],
    command: [join(folder, program)],
  };
}

function pythonTool(program: string): Tool {
  const folder = join(CACHE, 'openapi', `python-${hashOf(REQUIREMENTS)}`);
  const options = `--quiet --disable-pip-version-check --root-user-action=ignore --no-deps --require-hashes`
    .split(' ')
    .concat('--requirement', REQUIREMENTS);
  return {
    needs: 'Python 3.10 with pip',
    folder,
    install: (target) => ['python3', '-m', 'pip', 'install', ...options, '--target', target],
    command: ['python3', join(folder, 'bin', program)],
    env: { PYTHONPATH: folder },
  };
}

/** A program of an npm package. These packages have many dependencies, and openapi-typescript needs TypeScript 5. */
function nodeTool(program: string): Tool {
  const folder = join(CACHE, 'openapi', `node-${hashOf(join(NODE_PACKAGES, 'package-lock.json'))}`);
  return {
    needs: 'npm',
    folder,
    install: (target) => {
      for (const file of ['package.json', 'package-lock.json'])
        copyFileSync(join(NODE_PACKAGES, file), join(target, file));
      return ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', target];
    },
    command: [process.execPath, join(folder, 'node_modules/.bin', program)],
  };
}

function javaTool(artifact: string, version: string): Tool {
  const [, name] = artifact.split(':');
  const folder = join(CACHE, 'openapi', name!, version);
  const coordinates = `-Dartifact=${artifact}:${version}`;
  return {
    needs: 'Java 11 with Maven',
    folder,
    install: (target) => ['mvn', '-q', '-B', 'dependency:copy', coordinates, `-DoutputDirectory=${target}`],
    command: ['java', '-jar', join(folder, `${name}-${version}.jar`)],
  };
}

const TOOLS = {
  libopenapi: goTool('github.com/pb33f/libopenapi-validator/cmd/validate', 'v0.16.3'),
  'openapi-spec-validator': pythonTool('openapi-spec-validator'),
  schemathesis: pythonTool('schemathesis'),
  'openapi-typescript': nodeTool('openapi-typescript'),
  newman: nodeTool('newman'),
  'openapi-generator': javaTool('org.openapitools:openapi-generator-cli', '7.17.0'),
} as const satisfies Readonly<Record<string, Tool>>;

export type ToolName = keyof typeof TOOLS;

/** Returns the reason why a tool cannot be run here; undefined when it can. */
export function missingTool(name: ToolName): string | undefined {
  const { folder, needs }: Tool = TOOLS[name];
  return existsSync(folder) ? undefined : `${name} is not installed: npm run openapi:tools (needs ${needs})`;
}

/** The command line of an installed tool, and its environment. */
export function toolCommand(
  name: ToolName,
  args: readonly string[],
): { file: string; args: string[]; env: NodeJS.ProcessEnv } {
  const { command, env }: Tool = TOOLS[name];
  const [file, ...first] = command;
  return { file: file!, args: [...first, ...args], env: { ...process.env, ...env } };
}

/** Runs an installed tool to its end. */
export function runTool(name: ToolName, args: readonly string[]): SpawnSyncReturns<string> {
  const { file, args: all, env } = toolCommand(name, args);
  return spawnSync(file, all, { env, encoding: 'utf8' });
}

function installTool({ folder, install }: Tool): void {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  try {
    const [file, ...args] = install(unfinished);
    const env = { ...process.env, GOBIN: unfinished, CGO_ENABLED: '0' };
    execFileSync(file!, args, { cwd: '/', stdio: 'inherit', env });
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename)
  for (const [name, tool] of Object.entries<Tool>(TOOLS))
    try {
      installTool(tool);
    } catch {
      console.error(`${name} could not be installed; it needs ${tool.needs}`);
      process.exitCode = 1;
    }
