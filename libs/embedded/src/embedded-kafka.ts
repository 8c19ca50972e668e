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
 * Starts our own broker as a process, on the loopback address: the part of Kafka's protocol that the services use,
 * idempotent producers included, with everything in files, so that a kill loses nothing. It ends with this process.
 * @param options.port default: a free one
 * @param options.folder where the data is kept, and found again; default: a folder that goes with the broker
 * @throws Error with the broker's own words when it does not start, such as on a taken port
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
    // A Ctrl-C goes to us, and we end it when everything that needs it has ended.
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

/** The port that the process says it listens on. @throws Error with what it says instead */
async function listening(child: ChildProcess): Promise<number> {
  let words = '';
  // A process that is killed may cut them: whoever waits for its end hears of that.
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
