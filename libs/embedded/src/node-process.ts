import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { guardProcess } from './guard.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** What Node has made of a source file once need not be made again: half of a service's start. */
const COMPILED = join(import.meta.dirname, '../../../node_modules/.cache/node-compile');

/** How a process ended. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A Node process in a process group of its own. */
export interface NodeProcess {
  child: ChildProcess;
  /** Resolves when it has ended and all it said has been read; rejects when it could not be started. */
  ended: Promise<ProcessEnd>;
}

/**
 * Starts a Node process that ends with this one, however that ends.
 * @param options.args script and arguments for Node
 * @param options.remove removed when this process is killed and cannot do it itself
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
  // Whether anybody waits for it is the caller's affair.
  ended.catch(() => {});
  return { child, ended };
}

/** Script and arguments of a service, of this checkout or of another one, as production runs it. */
export function serviceArguments(service: string, root: string = ROOT): string[] {
  return [
    '--disable-warning=ExperimentalWarning',
    '--import',
    '@kontoport/telemetry/otel',
    join(root, 'services', service, 'src/main.ts'),
  ];
}

/** The same of a service as its image holds it; `bundles` has a folder for each service. */
export const bundleArguments = (service: string, bundles: string): string[] => [
  '--enable-source-maps',
  '--import',
  join(bundles, service, 'otel.mjs'),
  join(bundles, service, 'main.mjs'),
];

/** Whether it runs no more. */
export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
