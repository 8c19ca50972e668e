import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { reportAnswerFault, WATCH_ARGUMENTS } from '@kontoport/testing/watched-process';
import type { StackFile } from '../src/stack-file.ts';

/** Milliseconds that one run of the stack may take on a busy machine. */
export const LIMIT_MS = 120_000;
const root = join(import.meta.dirname, '../../../..');

/** `npm start` as a child process, on a data folder of its own. */
export interface StartedStack {
  child: ChildProcess;
  output: () => string;
  ended: Promise<number | null>;
  /** stack.json, once it is there. */
  ready: () => Promise<StackFile>;
}

/**
 * Makes a data folder, and starts stacks on it. It stops and removes both after the test, or after the file.
 * @param more variables of the stacks, read at each start
 */
export function useStack(
  lifetime: 'test' | 'file' = 'test',
  more: NodeJS.ProcessEnv = {},
): {
  data: () => string;
  start: (...args: string[]) => StartedStack;
} {
  let data: string;
  const started: ChildProcess[] = [];

  const [before, after] = lifetime === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(() => {
    data = mkdtempSync(join(tmpdir(), 'kontoport-stack-'));
  });

  after(async () => {
    for (const child of started.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    for (const file of globSync(join(data, 'logs/*.log')))
      for (const line of readFileSync(file, 'utf8').split('\n')) reportAnswerFault(line);
    rmSync(data, { recursive: true, force: true });
  });

  const start = (...args: string[]): StartedStack => {
    const ports = ['base', 'registration', 'auth', 'user'].flatMap((address) => [`--${address}-port`, '0']);
    // The stack under test starts its own PostgreSQL and broker, whatever this run uses.
    const { DATABASE_URL: _database, KAFKA_BROKERS: _brokers, ...env } = process.env;
    const child = spawn(
      process.execPath,
      ['scripts/programs/kontoport/kontoport.mjs', 'start', '--data', data, ...ports, ...args],
      {
        cwd: root,
        // The broker's own command line does not name the data folder; its environment does.
        env: {
          ...env,
          ...more,
          SETTLEMENT_DELAY: '500ms',
          KONTOPORT_E2E: data,
          NODE_OPTIONS: WATCH_ARGUMENTS.join(' '),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    started.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream
        .setEncoding('utf8')
        .on('data', (text: string) => (said += text))
        // A killed process may cut it.
        .on('error', () => {});
    const file = join(data, 'stack.json');
    return {
      child,
      output: () => said,
      ended: once(child, 'close').then(([code]) => code as number | null),
      ready: () =>
        until(
          () => {
            if (child.exitCode !== null) throw new Error(`the stack ended with ${child.exitCode}:\n${said}`);
            return existsSync(file) && (JSON.parse(readFileSync(file, 'utf8')) as StackFile);
          },
          { timeout: LIMIT_MS, what: 'stack.json' },
        ),
    };
  };

  return { data: () => data, start };
}
