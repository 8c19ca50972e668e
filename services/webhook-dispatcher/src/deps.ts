import type { ClientDirectory } from '@kontoport/client-directory';
import { databaseAccess, openDb, type SealingKeys } from '@kontoport/database';
import { createGuardedAgent, type EgressRule } from '@kontoport/egress';
import { createProducer, type Kafka, kafkaAccess, openKafka, type Producer } from '@kontoport/events';
import type { Logger, Loop } from '@kontoport/lifecycle';
import type { OpenContext } from '@kontoport/service';
import type { Adapters } from './adapters.ts';
import { callbackProxy } from './callback-config.ts';
import type { Config } from './config.ts';
import { MAX_ANSWER_BYTES } from './deliveries/attempt-delivery.ts';
import { createDispatcher, type Dispatcher } from './deliveries/dispatcher.ts';
import { organizationOf } from './deliveries/subscription-queues.ts';
import { watchUnclaimed } from './deliveries/watch-unclaimed.ts';
import { EVENT_TOPICS } from './events/events.consumer.ts';
import { createPrisma, type Db, MIGRATION } from './gen/db.ts';
import { reconcile } from './intake/reconcile.ts';
import { type PartitionRetention, partitionRetention } from './retention/partition-retention.ts';
import { checkKeys } from './subscriptions/check-keys.ts';

/** The dependencies of the entry points. */
export interface Deps {
  logger: Logger;
  /** One database, two pools: callers cannot take the connections that deliveries need. */
  db: { delivery: Db; management: Db };
  kafka: Kafka;
  /** Publishes records that cannot be parsed. */
  deadLetters: Producer;
  directory: ClientDirectory;
  /** The rule for the addresses of callbacks. */
  egress: EgressRule;
  /** Seals the subscription keys. */
  secretsKeys: SealingKeys;
  dispatcher: Dispatcher;
  retention: PartitionRetention;
  reconciler: Loop;
  unclaimed: Loop;
  /** Whether the stored keys can be decrypted. */
  keys: ReturnType<typeof checkKeys>;
}

/** Opens what the service needs, once and in order. */
export function openDeps(context: OpenContext<Config, Adapters>): Deps {
  const { service, config, adapters, logger, lifecycle, gate } = context;
  const { SECRETS_KEY: secretsKeys } = config;
  const { directory } = gate;
  const access = databaseAccess({ config, logger });
  const open = (applicationName: string): Db =>
    openDb({ ...access, max: 5, applicationName, prisma: createPrisma, migration: MIGRATION });
  const db = {
    delivery: lifecycle.own('database', open(service)),
    management: lifecycle.own('management database', open(`${service} management`)),
  };
  const kafka = openKafka({ ...kafkaAccess({ config, logger }), clientId: service, logger });
  const deadLetters = lifecycle.own('kafka producer', createProducer({ kafka }));
  const egress = adapters.callbacks(config);
  const { NAME_SERVERS: nameServers } = config;
  const agent = createGuardedAgent({
    ...egress,
    answerBytes: MAX_ANSWER_BYTES,
    ...(nameServers && { names: { nameServers } }),
    proxy: callbackProxy(config, logger),
  });
  lifecycle.own('callback connections', { close: () => agent.destroy() });
  const {
    WEBHOOK_RETRY_SCHEDULE: schedule,
    WEBHOOK_SHARE: share,
    WEBHOOK_PAUSE_AFTER: pauseAfterMs,
  } = config;
  return {
    logger,
    db,
    kafka,
    deadLetters,
    directory,
    egress,
    secretsKeys,
    retention: partitionRetention({ db: db.delivery, retentionMs: config.WEBHOOK_RETENTION, logger }),
    reconciler: reconcile({
      kafka,
      db: db.management,
      groupId: service,
      topics: EVENT_TOPICS.map(({ name }) => name),
      logger,
    }),
    unclaimed: watchUnclaimed({
      db: db.management,
      organizationOf: (clientId) => organizationOf(directory, clientId),
      limitMs: config.WEBHOOK_UNCLAIMED_LIMIT,
      logger,
    }),
    keys: checkKeys({ db: db.management.pool, keys: secretsKeys, logger }),
    dispatcher: createDispatcher({
      db: db.delivery,
      agent,
      directory,
      secretsKeys,
      schedule,
      share,
      pauseAfterMs,
      logger,
    }),
  };
}
