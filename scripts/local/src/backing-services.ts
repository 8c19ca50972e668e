// What the services stand on: PostgreSQL and Kafka, embedded unless the environment names others.
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, deployMigrations } from '@kontoport/database';
import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { startEmbeddedPostgres } from '@kontoport/embedded/embedded-postgres';
import { freePorts } from '@kontoport/embedded/port';
import { ensureTopics, openKafka, topics } from '@kontoport/events';
import { type Closable, createLogger } from '@kontoport/runtime';
import { type ServiceName, SERVICES } from './services.ts';

const WATCH_MS = 2_000;
const MISSES = 3;

/** A backing service that answers. */
export interface Backing extends Closable {
  /** For the person at the terminal; no credentials. */
  description: string;
  /** The loopback port to watch; absent when it is not ours. */
  port?: number;
}

async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<{ started: T; port: number }> {
  const [port] = await freePorts(1);
  return { started: await start(port!), port: port! };
}

/** The cluster in DATABASE_URL, or an embedded one whose data stay in `data`. */
export async function openPostgres(options: {
  data: string;
  env: NodeJS.ProcessEnv;
}): Promise<Backing & { url: string }> {
  const given = options.env.DATABASE_URL;
  if (given)
    return { url: given, description: `DATABASE_URL (${new URL(given).host})`, close: async () => {} };
  const { started, port } = await onFreePort((free) =>
    startEmbeddedPostgres({ dir: join(options.data, 'postgres'), port: free }),
  );
  return { url: started.url, close: started.stop, port, description: `embedded, port ${port}` };
}

/** Makes and migrates the database of every service that has one: `account-information` → `account_information`. */
export async function deployDatabases(options: {
  root: string;
  url: string;
}): Promise<Partial<Record<ServiceName, string>>> {
  const prismaDir = (name: ServiceName): string => join(options.root, 'services', name, 'prisma');
  const owners = SERVICES.filter((name) => existsSync(join(prismaDir(name), 'migrations')));
  const databases = await Promise.all(
    owners.map(async (name) => ({
      name,
      url: await createDatabase(options.url, name.replaceAll('-', '_')),
      prismaDir: prismaDir(name),
    })),
  );
  await deployMigrations(databases);
  return Object.fromEntries(databases.map(({ name, url }) => [name, url]));
}

/** The cluster in KAFKA_BROKERS, with the topics it lacks, or an embedded broker whose data stay in `data`. */
export async function openBroker(options: {
  data: string;
  env: NodeJS.ProcessEnv;
}): Promise<Backing & { brokers: readonly string[] }> {
  const given = options.env.KAFKA_BROKERS;
  if (!given) {
    const folder = join(options.data, 'kafka');
    const { started, port } = await onFreePort((free) =>
      startEmbeddedKafka(Object.values(topics), { port: free, folder }),
    );
    const { brokers, stop: close } = started;
    return { brokers, close, port, description: `embedded, port ${port}` };
  }
  const brokers = given.split(',').map((broker) => broker.trim());
  const logger = createLogger({ service: 'start', level: 'silent' });
  await ensureTopics(openKafka({ brokers, clientId: 'kontoport-start', logger }), Object.values(topics));
  return {
    brokers,
    description: `KAFKA_BROKERS (${brokers.join(', ')})`,
    close: async () => {},
  };
}

async function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const tell = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', tell(true)).once('error', tell(false));
  });
}

/** Resolves once nobody listens on the port any more, looking `every` milliseconds; never after `signal` fires. */
export async function untilSilent(options: {
  port: number;
  signal: AbortSignal;
  every?: number;
}): Promise<void> {
  const { port, signal, every = WATCH_MS } = options;
  for (let misses = 0; misses < MISSES && !signal.aborted;) {
    await pause(every, undefined, { ref: false });
    misses = (await listens(port)) ? 0 : misses + 1;
  }
  if (signal.aborted) await new Promise<never>(() => {});
}
