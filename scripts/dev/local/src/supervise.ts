import { closeSync, openSync } from 'node:fs';
import { hasEnded, startNode } from '@kontoport/embedded/node-process';
import { lastLines } from './tail.ts';

/** The unexpected end of a process, with the end of its log. */
export interface Death {
  name: string;
  how: string;
  logFile: string;
  lastLines: string[];
}

/** A service ended while the stack started. */
export class ServiceDied extends Error {
  override readonly name = 'ServiceDied';
  readonly death: Death;

  constructor(death: Death) {
    super(`${death.name} ${death.how}`);
    this.death = death;
  }
}

/** A supervised child process. It never outlives this process. */
export interface Supervised {
  name: string;
  pid: number;
  logFile: string;
  /** Resolves when the process ends before `stop` was called. */
  died: Promise<Death>;
  /** SIGTERM, and SIGKILL for its whole process group when it takes longer than `limitMs`. */
  stop(limitMs: number): Promise<void>;
}

const TAIL_LINES = 15;
/** A small young generation: a laptop has one caller and five of these processes. Servers use Node's default. */
const SMALL = ['--max-semi-space-size=4'];

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // the group is gone already
  }
}

/**
 * Starts a Node process in a process group of its own, so that Ctrl-C reaches only this process, which stops the others in
 * order. The process writes to its log file directly.
 * @param options.args script and arguments for Node
 * @param options.orphanedFile removed when this process is killed and cannot do it itself
 */
export function supervise(options: {
  name: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  logFile: string;
  orphanedFile: string;
}): Supervised {
  const { name, logFile } = options;
  const log = openSync(logFile, 'a');
  const { child, ended } = startNode({
    args: [...SMALL, ...options.args],
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', log, log],
    remove: options.orphanedFile,
  });
  closeSync(log);
  if (child.pid === undefined) throw new Error(`${name} could not be started`);
  const { pid } = child;
  let asked = false;
  const died = new Promise<Death>((resolve) => {
    void ended.then(({ code, signal }) => {
      killGroup(pid);
      if (asked) return;
      const how = signal === null ? `ended with status ${code}` : `was ended by ${signal}`;
      resolve({ name, how, logFile, lastLines: lastLines(logFile, TAIL_LINES) });
    });
  });
  return {
    name,
    pid,
    logFile,
    died,
    async stop(limitMs) {
      asked = true;
      if (!hasEnded(child)) child.kill('SIGTERM');
      const late = setTimeout(() => killGroup(pid), limitMs);
      await ended;
      clearTimeout(late);
    },
  };
}
