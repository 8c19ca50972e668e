import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { guardProcess } from '@kontoport/embedded/guard';
import { until } from '@kontoport/embedded/wait';

const ROOT = join(import.meta.dirname, '../../..');
const LAST_LINES = 30;

/** One JSON line that a service logged. */
export type LogLine = Record<string, unknown> & { level?: string; msg?: string };

/** A service as production runs it: a process of its own. */
export interface ServiceProcess {
  pid: number;
  /** Everything it has logged so far, oldest first. */
  log: readonly LogLine[];
  /**
   * Resolves when `/readyz` answers 200.
   * @throws Error with the reasons and the last lines when that takes longer than `timeout` (default 30,000 ms) or
   *   the process ends
   */
  ready(timeout?: number): Promise<void>;
  /** Sends the signal (default SIGTERM) unless it has ended, and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Starts `services/<service>/src/main.ts`; it ends with this process, however that ends.
 * @param options.env its whole configuration (`OPS_PORT` included); nothing of ours but PATH reaches it
 */
export function startServiceProcess(options: {
  service: string;
  env: Record<string, string>;
}): ServiceProcess {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      '--import',
      '@kontoport/runtime/otel',
      join(ROOT, 'services', options.service, 'src/main.ts'),
    ],
    {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  const log: LogLine[] = [];
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
      const entry = parseLine(line);
      if (entry !== undefined) log.push(entry);
    });
  const guard = child.pid === undefined ? undefined : guardProcess({ pid: child.pid, signal: 'KILL' });
  const ended = (async () => {
    // Not 'exit': what it said last is read by then.
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    guard?.release();
    return { code, signal };
  })();
  // Whether anybody waits for it is the caller's affair.
  ended.catch(() => {});

  return {
    pid: child.pid ?? -1,
    log,
    async ready(timeout = 30_000) {
      let reasons = 'no answer yet';
      try {
        await until(
          async () => {
            if (child.exitCode !== null || child.signalCode !== null) return true;
            const response = await fetch(`http://127.0.0.1:${options.env.OPS_PORT}/readyz`);
            reasons = await response.text();
            return response.ok;
          },
          { timeout, what: `${options.service} to be ready` },
        );
      } catch (error) {
        throw new Error(`${options.service} is not ready: ${reasons}\n${last.join('\n')}`, { cause: error });
      }
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(
          `${options.service} ended with ${child.exitCode ?? child.signalCode}\n${last.join('\n')}`,
        );
    },
    async kill(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}

function parseLine(line: string): LogLine | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? (entry as LogLine) : undefined;
  } catch {
    return undefined;
  }
}
