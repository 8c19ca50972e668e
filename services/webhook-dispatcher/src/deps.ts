import type { ClientDirectory } from '@kontoport/client-directory';
import { openPool } from '@kontoport/database';
import { createGuardedAgent, type EgressRule } from '@kontoport/egress';
import { createProducer, type Kafka, openKafka, type Producer } from '@kontoport/events';
import type { Logger } from '@kontoport/runtime';
import type { OpenContext } from '@kontoport/service';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { Adapters } from './adapters.ts';
import type { Config } from './config.ts';
import { createDispatcher, type Dispatcher } from './deliveries/dispatcher.ts';
import { PrismaClient } from './gen/prisma/client.ts';

/** All that the entry points use. */
export interface Deps {
  logger: Logger;
  /** For events and deliveries. */
  pool: pg.Pool;
  /** For the subscription interface: callers cannot take the connections that deliveries need. */
  managementPool: pg.Pool;
  /** On the connections of `managementPool`. */
  prisma: PrismaClient;
  kafka: Kafka;
  /** Publishes records that cannot be parsed. */
  deadLetters: Producer;
  directory: ClientDirectory;
  /** Where callbacks may lead. */
  egress: EgressRule;
  /** Seals the subscription keys. */
  secretsKey: Uint8Array;
  dispatcher: Dispatcher;
}

/** Opens what the service needs, once and in order. */
export function openDeps(context: OpenContext<Config, Adapters>): Deps {
  const { service, config, adapters, logger, lifecycle, gate } = context;
  const { DATABASE_URL: url, SECRETS_KEY: secretsKey } = config;
  const { directory } = gate;
  const pool = openPool({ url, max: 5, applicationName: service });
  lifecycle.own('database', { close: () => pool.end() });
  const managementPool = openPool({ url, max: 5, applicationName: `${service} management` });
  lifecycle.own('management database', { close: () => managementPool.end() });
  const kafka = openKafka({ brokers: config.KAFKA_BROKERS, clientId: service, logger });
  const deadLetters = lifecycle.own('kafka producer', createProducer({ kafka }));
  const egress = adapters.callbacks(config);
  const agent = createGuardedAgent(egress);
  lifecycle.own('callback connections', { close: () => agent.destroy() });
  const schedule = config.WEBHOOK_RETRY_SCHEDULE;
  return {
    logger,
    pool,
    managementPool,
    prisma: new PrismaClient({ adapter: new PrismaPg(managementPool) }),
    kafka,
    deadLetters,
    directory,
    egress,
    secretsKey,
    dispatcher: createDispatcher({ pool, agent, directory, secretsKey, schedule, logger }),
  };
}
