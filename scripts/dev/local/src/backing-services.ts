// PostgreSQL and Kafka, embedded unless the environment names others.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@kontoport/config';
import { createDatabase, databaseAccess, databaseConfig, deployMigrations } from '@kontoport/database';
import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { startEmbeddedPostgres } from '@kontoport/embedded/embedded-postgres';
import { freePorts } from '@kontoport/embedded/port';
import { ensureTopics, kafkaAccess, kafkaConfig, openKafka, topics } from '@kontoport/events';
import type { TlsOptions } from '@kontoport/internal-tls';
import { type Closable, createLogger } from '@kontoport/lifecycle';
import { type ServiceName, SERVICES } from './services.ts';

/** A backing service that answers. */
export interface Backing extends Closable {
  /** Text for the user, without credentials. */
  description: string;
}

async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<{ started: T; port: number }> {
  const [port] = await freePorts(1);
  return { started: await start(port!), port: port! };
}

/** A cluster, and the variables that services need beside its URL. */
export interface PostgresBacking extends Backing {
  url: string;
  tls?: TlsOptions | undefined;
  environment: Record<string, string>;
}

/** Opens the cluster in DATABASE_URL, or an embedded one whose data stay in `data`. */
export async function openPostgres(options: {
  data: string;
  env: NodeJS.ProcessEnv;
}): Promise<PostgresBacking> {
  if (options.env.DATABASE_URL) return useCluster(options.env);
  const { started, port } = await onFreePort((free) =>
    startEmbeddedPostgres({ dir: join(options.data, 'postgres'), port: free }),
  );
  const description = `embedded, port ${port}`;
  return { url: started.url, environment: {}, close: started.stop, description };
}

/** Uses a cluster. The services get the same variables. @throws ConfigError when one is wrong */
function useCluster(env: NodeJS.ProcessEnv): PostgresBacking {
  const config = readConfig(databaseConfig, env);
  const { url, tls } = databaseAccess({
    config,
    logger: createLogger({ service: 'start', level: 'silent' }),
  });
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[0].startsWith('DATABASE_TLS_') && Boolean(entry[1]),
  );
  return {
    url: url(),
    tls: tls?.(),
    environment: Object.fromEntries(given),
    description: `DATABASE_URL (${new URL(url()).host})`,
    close: async () => {},
  };
}

/** Services that keep their data in memory in the sandbox, and in a database in production alone. */
const PRODUCTION_ONLY: readonly ServiceName[] = ['payments'];

/**
 * Makes and migrates the database of every service that opens one in this environment: `account-information` →
 * `account_information`.
 */
export async function deployDatabases(options: {
  root: string;
  postgres: PostgresBacking;
  /** Default: the sandbox. */
  production?: boolean;
}): Promise<Partial<Record<ServiceName, string>>> {
  const { url, tls } = options.postgres;
  const prismaDir = (name: ServiceName): string => join(options.root, 'services', name, 'prisma');
  const owners = SERVICES.filter(
    (name) =>
      existsSync(join(prismaDir(name), 'migrations')) &&
      (options.production === true || !PRODUCTION_ONLY.includes(name)),
  );
  const databases = await Promise.all(
    owners.map(async (name) => {
      const database = { name, url: await createDatabase(url, name.replaceAll('-', '_'), tls) };
      await deployMigrations({ url: database.url, prismaDir: prismaDir(name), tls });
      return database;
    }),
  );
  return Object.fromEntries(databases.map((database) => [database.name, database.url]));
}

/** A broker, and the variables with which each service reaches it. */
export interface BrokerBacking extends Backing {
  environment(service: ServiceName): Record<string, string>;
}

/** Opens the cluster in KAFKA_BROKERS and makes missing topics, or opens an embedded broker whose data stay in `data`. */
export async function openBroker(options: { data: string; env: NodeJS.ProcessEnv }): Promise<BrokerBacking> {
  if (options.env.KAFKA_BROKERS) return useBrokers(options.env);
  const folder = join(options.data, 'kafka');
  const { started, port } = await onFreePort((free) =>
    startEmbeddedKafka(Object.values(topics), { port: free, folder }),
  );
  return {
    environment: () => ({ KAFKA_BROKERS: started.brokers.join(',') }),
    close: started.stop,
    description: `embedded, port ${port}`,
  };
}

/** Uses a cluster. The services get the same variables. @throws ConfigError when one is wrong */
async function useBrokers(env: NodeJS.ProcessEnv): Promise<BrokerBacking> {
  const logger = createLogger({ service: 'start', level: 'silent' });
  const config = readConfig(kafkaConfig, env);
  const access = kafkaAccess({ config, logger });
  await ensureTopics(openKafka({ ...access, clientId: 'kontoport-start', logger }), Object.values(topics));
  const given = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[0].startsWith('KAFKA_') && entry[1] !== undefined,
  );
  return {
    environment: () => Object.fromEntries(given),
    description: `KAFKA_BROKERS (${config.KAFKA_BROKERS.join(', ')})`,
    close: async () => {},
  };
}
