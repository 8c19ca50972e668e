import { openPool } from '@kontoport/database';
import { createProducer, openKafka, type Relay, startRelay } from '@kontoport/events';
import { openGate } from '@kontoport/gate';
import { ConfigError, type Lifecycle, type Logger, type readConfig } from '@kontoport/runtime';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { AccountData } from './account-data/account-data.ts';
import { createSandboxAccountData } from './account-data/sandbox/sandbox-account-data.ts';
import type { config } from './config.ts';
import { PrismaClient } from './gen/prisma/client.ts';
import { createCursors, type Cursors } from './transactions/cursor.ts';

/** What the entry points work with. */
export interface Deps {
  logger: Logger;
  pool: pg.Pool;
  prisma: PrismaClient;
  relay: Relay;
  accountData: AccountData;
  cursors: Cursors;
}

/** The one place where the environment decides about account data. */
const ACCOUNT_DATA = { sandbox: createSandboxAccountData, production: undefined };

/** Opens everything once; what is opened first is closed last. */
export async function openDeps(options: {
  config: ReturnType<typeof readConfig<typeof config>>;
  logger: Logger;
  lifecycle: Lifecycle;
}) {
  const { config, logger, lifecycle } = options;
  const service = 'account-information';
  const pool = openPool({ url: config.DATABASE_URL, applicationName: service });
  lifecycle.own('database', { close: () => pool.end() });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });

  const kafka = openKafka({ brokers: config.KAFKA_BROKERS, clientId: service, logger });
  const producer = createProducer({ kafka, idempotent: config.KAFKA_IDEMPOTENT });
  lifecycle.own('producer', producer);
  const relay = lifecycle.own('outbox relay', startRelay({ pool, producer, logger }));

  const createAccountData = ACCOUNT_DATA[config.ENVIRONMENT];
  if (createAccountData === undefined)
    throw new ConfigError([
      `ENVIRONMENT: ${service} has no adapter "account data" for ${config.ENVIRONMENT}`,
    ]);
  const gate = await openGate({ service, config, logger, lifecycle });
  const deps: Deps = {
    logger,
    pool,
    prisma,
    relay,
    accountData: createAccountData({ prisma }),
    cursors: createCursors(config.SECRETS_KEY),
  };
  return { ...deps, gate };
}
