import { openPool } from '@kontoport/database';
import { createProducer, openKafka, outboxRelay } from '@kontoport/events';
import type { OpenContext } from '@kontoport/service';
import type { Loop, Logger } from '@kontoport/runtime';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { AccountData } from './account-data/account-data.ts';
import type { Adapters } from './adapters.ts';
import type { Config } from './config.ts';
import { PrismaClient } from './gen/prisma/client.ts';
import { createCursors, type Cursors } from './transactions/cursor.ts';

/** What the entry points work with. */
export interface Deps {
  logger: Logger;
  pool: pg.Pool;
  prisma: PrismaClient;
  /** Publishes the events of committed postings. */
  relay: Loop;
  accountData: AccountData;
  cursors: Cursors;
}

/** Opens everything once; what is opened first is closed last. */
export function openDeps(context: OpenContext<Config, Adapters>): Deps {
  const { service, config, adapters, logger, lifecycle } = context;
  const pool = openPool({ url: config.DATABASE_URL, applicationName: service });
  lifecycle.own('database', { close: () => pool.end() });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  const kafka = openKafka({ brokers: config.KAFKA_BROKERS, clientId: service, logger });
  const producer = lifecycle.own('kafka', createProducer({ kafka }));
  return {
    logger,
    pool,
    prisma,
    relay: outboxRelay({ pool, producer, logger }),
    accountData: adapters.accountData({ prisma }),
    cursors: createCursors(config.SECRETS_KEY),
  };
}
