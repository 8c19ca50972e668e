import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Topic } from '@kontoport/events';
import { guardProcess } from './guard.ts';
import { freePorts } from './port.ts';
import { until } from './wait.ts';

/** A broker and how to stop it. */
export interface Broker {
  brokers: string[];
  stop(): Promise<void>;
}

/**
 * Starts the broker that npm installed, on the loopback address: it speaks Kafka's protocol, keeps everything in
 * memory, and does not know idempotent producers. It serves only the topics given here.
 * @param options.port default: a free one
 * @throws Error when it does not listen, such as on a taken port
 */
export async function startEmbeddedKafka(
  topics: readonly Topic[],
  options: { port?: number } = {},
): Promise<Broker> {
  const [free, apiPort] = (await freePorts(2)) as [number, number];
  const port = options.port ?? free;
  if (await answers(port)) throw new Error(`the embedded Kafka broker cannot start: port ${port} is taken`);
  // Alone in its folder: the broker watches the folder of its file.
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-kafka-'));
  const file = join(folder, 'broker.json');
  writeFileSync(file, JSON.stringify(description(topics, port)));
  const server = spawn(
    binary(),
    [
      `--api-port=${apiPort}`,
      '--api-dashboard=false',
      '--api-search-enabled=false',
      '--mcp-server-enabled=false',
      '--health-enabled=false',
      '--log-level=error',
      '--event-store-default-size=1',
      file,
    ],
    { cwd: folder, stdio: 'ignore', detached: true },
  );
  const gone = once(server, 'exit');
  const guard = guardProcess({ pid: server.pid!, signal: 'KILL', remove: folder });
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    await gone;
    guard.release();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(
      () => {
        if (server.exitCode !== null) throw new Error(`the broker ended with ${server.exitCode}`);
        return answers(port);
      },
      { timeout: 15_000, what: `the embedded Kafka broker on port ${port}` },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { brokers: [`127.0.0.1:${port}`], stop };
}

/** The broker's configuration is an AsyncAPI document. */
function description(topics: readonly Topic[], port: number): object {
  return {
    asyncapi: '3.0.0',
    info: { title: 'Kontoport', version: '1.0.0' },
    servers: {
      broker: {
        host: `127.0.0.1:${port}`,
        protocol: 'kafka',
        bindings: { kafka: { 'group.initial.rebalance.delay.ms': 50, 'group.min.session.timeout.ms': 1000 } },
      },
    },
    channels: Object.fromEntries(
      topics.map(({ name, partitions }) => [
        name.replaceAll('.', '_'),
        { address: name, bindings: { kafka: { partitions } } },
      ]),
    ),
  };
}

function binary(): string {
  const fromHere = createRequire(import.meta.url);
  const fromPackage = createRequire(fromHere.resolve('go-mokapi/package.json'));
  return fromPackage(`@go-mokapi/${process.platform}-${process.arch}`) as string;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
