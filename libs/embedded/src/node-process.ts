import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { guardProcess } from './guard.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Node's compile cache, which saves half of a service's start. */
const COMPILED = join(import.meta.dirname, '../../../node_modules/.cache/node-compile');

/** The end of a process. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A Node process in a process group of its own. */
export interface NodeProcess {
  child: ChildProcess;
  /** Resolves after its end and all of its output; rejects when it could not be started. */
  ended: Promise<ProcessEnd>;
}

/**
 * Starts a Node process that ends with this one, however that ends.
 * @param options.args script and arguments for Node
 * @param options.remove a folder to remove if this process is killed
 */
export function startNode(options: {
  args: readonly string[];
  env: Record<string, string | undefined>;
  cwd: string;
  stdio: StdioOptions;
  remove?: string;
}): NodeProcess {
  const { args, env, cwd, stdio, remove } = options;
  const child = spawn(process.execPath, args, {
    cwd,
    env: { NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio,
    detached: true,
  });
  const guard =
    child.pid === undefined
      ? undefined
      : guardProcess({ pid: child.pid, signal: 'KILL', ...(remove === undefined ? {} : { remove }) });
  const ended = (async () => {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    guard?.release();
    return { code, signal };
  })();
  // The caller may ignore the end.
  ended.catch(() => {});
  return { child, ended };
}

/** Returns the script and arguments of a service of a checkout, as in production. */
export function serviceArguments(service: string, root: string = ROOT): string[] {
  return [
    '--disable-warning=ExperimentalWarning',
    '--import',
    '@kontoport/telemetry/otel',
    join(root, 'services', service, 'src/main.ts'),
  ];
}

/** Returns those of a service in its image; `bundles` has a folder for each service. */
export const bundleArguments = (service: string, bundles: string): string[] => [
  '--enable-source-maps',
  '--import',
  join(bundles, service, 'otel.mjs'),
  join(bundles, service, 'main.mjs'),
];

/** Whether the process ended. */
export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
