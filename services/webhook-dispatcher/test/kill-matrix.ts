import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, deployMigrations } from '@kontoport/database';
import { startEmbeddedPostgres } from '@kontoport/embedded/embedded-postgres';
import { setupClient, startKafkaServer } from '@kontoport/embedded/kafka-server';
import { hasEnded, type ProcessEnd, startNode } from '@kontoport/embedded/node-process';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { createProducer, ensureTopics, openKafka, topics } from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { openTestPool } from '@kontoport/testing/postgres';
import { openTcpProxy } from '@kontoport/testing/tcp-proxy';
import type pg from 'pg';
import type { DeathPoint } from './death-points.ts';
import { subscribeMany } from './many-queues.ts';
import { postingFor, publish } from './running.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SERVICE = join(import.meta.dirname, '..');
const PROCESS = join(import.meta.dirname, 'dying-process.ts');
const CHUNK = 100;
/** More events than this are not on their way at once. */
const MAX_UNDERWAY = 2_000;

/** About as large as a record may be. */
const FILL_BYTES = 500_000;

/** A dispatcher as a process. */
export interface Replica {
  ended: Promise<ProcessEnd>;
  kill(): Promise<void>;
  /** SIGTERM; how it ended. */
  terminate(): Promise<ProcessEnd>;
}

/** Apache Kafka and PostgreSQL that can be stopped, receivers that count, and a stream of events. */
export type Matrix = Awaited<ReturnType<typeof openMatrix>>;

/** @param queues how many subscriptions get every event */
export async function openMatrix({ queues }: { queues: number }) {
  const [peers, broker, database, receivers] = await Promise.all([
    startFakePeers(),
    startBroker(),
    startDatabase(),
    startCounting(queues),
  ]);
  const pool = openTestPool(database.url, { max: 3 });
  const logger = createLogger({ service: 'test', level: 'silent' });
  const kafka = openKafka({ brokers: broker.brokers, clientId: 'test', logger });
  const producer = createProducer({ kafka });
  const env = {
    ...peers.env,
    DATABASE_URL: database.url,
    KAFKA_BROKERS: broker.brokers.join(),
    SECRETS_KEY: randomBytes(32).toString('base64url'),
    CALLBACK_LOOPBACK: 'true',
    LOG_LEVEL: 'error',
  };
  const tpp = await peers.addTpp();
  await subscribeMany({ pool, env }, tpp.clientId, receivers.urls);
  const published = new Set<string>();
  const replicas = new Set<Replica>();

  /** Publishes the given number of events; after a failure it publishes the uncertain ones again. */
  const tell = async (count: number): Promise<void> => {
    const events = Array.from({ length: count }, () => postingFor([tpp]));
    await until(() => publish(producer, events).then(() => true), { what: 'the broker to take events' });
    for (const { eventId } of events) published.add(eventId);
  };

  return {
    pool,
    database,
    broker,
    published,
    receivers,
    tell,
    /** Publishes records that no dispatcher reads until the broker, which has little room, has ended. */
    async fill(ended: Promise<void>): Promise<void> {
      let hasEnded = false;
      void ended.then(() => (hasEnded = true));
      const record = { topic: topics.audit.name, key: 'full', value: 'x'.repeat(FILL_BYTES), headers: {} };
      await until(() => hasEnded || producer.send([record]).then(() => hasEnded), {
        what: 'the broker to be full',
        timeout: 180_000,
      });
    },
    /** Publishes until it is stopped, as fast as receivers get them. */
    stream(): { stop(): Promise<void> } {
      let isWanted = true;
      const streaming = (async () => {
        while (isWanted) {
          await tell(CHUNK);
          await until(() => !isWanted || published.size - receivers.least() < MAX_UNDERWAY, {
            what: 'receivers to follow',
            timeout: 180_000,
          });
        }
      })();
      streaming.catch(() => {});
      return {
        async stop() {
          isWanted = false;
          await streaming;
        },
      };
    },
    replica(diesAt?: DeathPoint, changes: Record<string, string> = {}): Replica {
      const { child, ended } = startNode({
        args: [
          '--disable-warning=ExperimentalWarning',
          '--import',
          '@kontoport/telemetry/otel',
          PROCESS,
          ...(diesAt === undefined ? [] : [diesAt]),
        ],
        cwd: ROOT,
        env: { PATH: process.env.PATH, ...env, ...changes },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const replica: Replica = {
        ended,
        async kill() {
          if (!hasEnded(child)) child.kill('SIGKILL');
          await ended;
        },
        terminate() {
          child.kill('SIGTERM');
          return ended;
        },
      };
      replicas.add(replica);
      return replica;
    },
    /** Kills all replicas but one. */
    async alone(left: Replica): Promise<void> {
      const others = [...replicas].filter((replica) => replica !== left);
      await Promise.all(others.map((replica) => replica.kill()));
    },
    async close(): Promise<void> {
      await Promise.all([...replicas].map((replica) => replica.kill()));
      await producer.close();
      await pool.end();
      await Promise.all([receivers.close(), broker.stop(), peers.close(), database.close()]);
      await broker.wire.close();
    },
  };
}

/** Apache Kafka, which can also be reached through a proxy: it advertises the proxy to clients that come through it. */
async function startBroker() {
  let far = 0;
  const wire = await openTcpProxy({ port: () => far });
  const server = await startKafkaServer({
    plan({ broker, controller, second }) {
      far = second;
      const [near, own] = [`PLAINTEXT://127.0.0.1:${broker}`, `CONTROLLER://127.0.0.1:${controller}`];
      return {
        settings: {
          listeners: `${near},WIRE://127.0.0.1:${second},${own}`,
          'advertised.listeners': `${near},WIRE://127.0.0.1:${wire.port}`,
          'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,WIRE:PLAINTEXT,CONTROLLER:PLAINTEXT',
        },
        access: { brokers: [`127.0.0.1:${broker}`] },
      };
    },
  });
  await ensureTopics(setupClient(server.access), Object.values(topics));
  return { ...server, wire };
}

/** PostgreSQL that keeps its data when it is stopped. */
async function startDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-kill-matrix-'));
  // The server may run as another user.
  chmodSync(folder, 0o711);
  const keep = { dir: join(folder, 'data'), port: await freePort() };
  let server = await startEmbeddedPostgres(keep);
  const url = await createDatabase(server.url, 'kill_matrix');
  await deployMigrations({ url, prismaDir: join(SERVICE, 'prisma') });
  return {
    url,
    port: keep.port,
    stop: () => server.stop(),
    async start() {
      server = await startEmbeddedPostgres(keep);
    },
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Receivers that accept everything and count how often each event came to each of them. */
async function startCounting(count: number) {
  const counts = Array.from({ length: count }, () => new Map<string, number>());
  const server = createServer((request, response) => {
    const counted = counts[Number(request.url!.slice('/hook/'.length))]!;
    const eventId = request.headers['webhook-id'] as string;
    request.resume();
    request.once('end', () => {
      counted.set(eventId, (counted.get(eventId) ?? 0) + 1);
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  // A connection that we close while it is used would be an attempt that failed.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    urls: counts.map((_, at) => `http://127.0.0.1:${port}/hook/${at}`),
    counts,
    /** The number of events that every receiver has at least. */
    least: () => Math.min(...counts.map(({ size }) => size)),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The claim of each queue. */
export async function claimsOf(pool: pg.Pool): Promise<(string | null)[]> {
  const { rows } = await pool.query<{ claim_id: string | null }>(
    'SELECT claim_id FROM subscription ORDER BY internal_id',
  );
  return rows.map(({ claim_id }) => claim_id);
}

/** The number of webhooks after the first of each event. */
export function repeatedOf(counts: readonly ReadonlyMap<string, number>[]): number {
  return counts.flatMap((counted) => [...counted.values()]).reduce((sum, times) => sum + times - 1, 0);
}
