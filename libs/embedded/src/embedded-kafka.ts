import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Topic } from '@kontoport/events';
import { guardProcess } from './guard.ts';

/** A broker and how to stop it. */
export interface Broker {
  brokers: string[];
  stop(): Promise<void>;
}

/** A broker that can be killed and started again on the same data. */
export interface KillableBroker extends Broker {
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts again after `kill`, on the same port and data; resolves when it answers. */
  start(): Promise<void>;
}

const PROGRAM = join(import.meta.dirname, 'broker/main.ts');

/**
 * Starts our own broker as a process on the loopback address: the part of Kafka's protocol that the services use,
 * including idempotent producers. All data is in files, so a kill loses nothing. It ends with this process.
 * @param options.port default: a free one
 * @param options.folder keeps the data; default: a temporary folder
 * @throws Error with the output of a broker that does not start, for example on a port in use
 */
export async function startEmbeddedKafka(
  topics: readonly Topic[],
  options: { port?: number; folder?: string } = {},
): Promise<KillableBroker> {
  const passing = options.folder === undefined;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'kontoport-kafka-'));
  const launch = (port: number): Promise<Launched> =>
    launchBroker({ folder, port, topics, ...(passing ? { remove: folder } : {}) });
  let running = await launch(options.port ?? 0);
  const { port } = running;
  return {
    brokers: [`127.0.0.1:${port}`],
    kill: () => running.end('SIGKILL'),
    async start() {
      running = await launch(port);
    },
    async stop() {
      await running.end('SIGTERM');
      if (passing) rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Launched {
  port: number;
  /** Resolves when the process is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

async function launchBroker(options: {
  folder: string;
  port: number;
  topics: readonly Topic[];
  remove?: string;
}): Promise<Launched> {
  const { folder, port, remove } = options;
  const topics = options.topics.map(({ name, partitions }) => ({ name, partitions }));
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ folder, port, topics })], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A Ctrl-C reaches this process, which ends the broker after its users.
    detached: true,
  });
  const gone = once(child, 'exit');
  const guard = guardProcess({
    pid: child.pid!,
    signal: 'KILL',
    ...(remove === undefined ? {} : { remove }),
  });
  try {
    return {
      port: await listening(child),
      async end(signal) {
        child.kill(signal);
        await gone;
        guard.release();
      },
    };
  } catch (error) {
    guard.release();
    throw error;
  }
}

/** Reads the port from the output of the process. @throws Error with its error output */
async function listening(child: ChildProcess): Promise<number> {
  let words = '';
  // A kill may cut the output; the end of the process reports that.
  const cut = (): void => {};
  child.stderr!.on('error', cut);
  child.stderr!.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-2_000)));
  const lines = createInterface({ input: child.stdout! }).on('error', cut);
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'close').then(() => [])])) as [
    string?,
  ];
  if (line === undefined) throw new Error(`the embedded Kafka broker does not start: ${words.trim()}`);
  return (JSON.parse(line) as { port: number }).port;
}
