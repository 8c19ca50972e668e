import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hasEnded, serviceArguments, startNode } from '@kontoport/embedded/node-process';
import { untilReady } from '@kontoport/embedded/until-ready';
import { reportAnswerFault, WATCH_ARGUMENTS } from './watched-process.ts';

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
   * @throws Error with the reasons and the last lines after `timeout` (default 60,000 ms) or the end of the process
   */
  ready(timeout?: number): Promise<void>;
  /** Sends the signal (default SIGTERM) unless it has ended, and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Starts `services/<service>/src/main.ts`; it ends with this process, however that ends.
 * @param options.script another start script of the service
 * @param options.env its whole configuration, including `OPS_PORT`; it inherits PATH alone
 */
export function startServiceProcess(options: {
  service: string;
  env: Record<string, string>;
  script?: string;
}): ServiceProcess {
  const given = serviceArguments(options.service);
  const { child, ended } = startNode({
    args: [...WATCH_ARGUMENTS, ...given.slice(0, -1), options.script ?? given.at(-1)!],
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: LogLine[] = [];
  const last: string[] = [];
  for (const stream of [child.stdout!, child.stderr!])
    createInterface({ input: stream })
      .on('line', (line) => {
        last.push(line);
        if (last.length > LAST_LINES) last.shift();
        const entry = parseLine(line);
        if (entry !== undefined) log.push(entry);
        reportAnswerFault(line);
      })
      // A kill may cut the output, and reports it.
      .on('error', () => {});

  return {
    pid: child.pid ?? -1,
    log,
    async ready(timeout = 60_000) {
      const gone = new AbortController();
      void ended.then(({ code, signal }) =>
        gone.abort(new Error(`${options.service} ended with ${code ?? signal}`)),
      );
      try {
        await untilReady({
          name: options.service,
          opsPort: Number(options.env.OPS_PORT),
          limitMs: timeout,
          signal: gone.signal,
        });
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${last.join('\n')}`, { cause: error });
      }
    },
    async kill(signal = 'SIGTERM') {
      if (!hasEnded(child)) child.kill(signal);
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
