import type { ClientDirectory } from '@kontoport/client-directory';
import { openDb } from '@kontoport/database';
import { createGuardedAgent, type EgressRule } from '@kontoport/egress';
import { createProducer, type Kafka, openKafka, type Producer } from '@kontoport/events';
import type { Logger } from '@kontoport/runtime';
import type { OpenContext } from '@kontoport/service';
import type { Adapters } from './adapters.ts';
import type { Config } from './config.ts';
import type { Db } from './db.ts';
import { createDispatcher, type Dispatcher } from './deliveries/dispatcher.ts';
import { PrismaClient } from './gen/prisma/client.ts';

/** All that the entry points use. */
export interface Deps {
  logger: Logger;
  /** One database, two pools: callers cannot take the connections that deliveries need. */
  db: { delivery: Db; management: Db };
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
  const open = (applicationName: string): Db =>
    openDb({ url, max: 5, applicationName, prisma: (adapter) => new PrismaClient({ adapter }) });
  const db = {
    delivery: lifecycle.own('database', open(service)),
    management: lifecycle.own('management database', open(`${service} management`)),
  };
  const kafka = openKafka({ brokers: config.KAFKA_BROKERS, clientId: service, logger });
  const deadLetters = lifecycle.own('kafka producer', createProducer({ kafka }));
  const egress = adapters.callbacks(config);
  const agent = createGuardedAgent(egress);
  lifecycle.own('callback connections', { close: () => agent.destroy() });
  const schedule = config.WEBHOOK_RETRY_SCHEDULE;
  return {
    logger,
    db,
    kafka,
    deadLetters,
    directory,
    egress,
    secretsKey,
    dispatcher: createDispatcher({ db: db.delivery, agent, directory, secretsKey, schedule, logger }),
  };
}
