import { openDb } from '@kontoport/database';
import type { Relay } from '@kontoport/events';
import { testDatabase } from '@kontoport/testing/postgres';
import { createPrisma, type Db } from '../src/gen/db.ts';
import type { OpenItemLimits } from '../src/store/postgres/open-item-quota.ts';
import { PostgresPaymentStore } from '../src/store/postgres/postgres-payment-store.ts';
import type { Retention } from '../src/store/postgres/tables.ts';

export const DAY = 86_400_000;
const LIMITS = { ofClient: 1_000, ofOrganization: 1_000 };
const RETENTION = { openMs: DAY, paymentMs: 400 * DAY };
const TABLES = 'draft, basket, basket_payment, standing_order, outbox';

/** Opens a database with limits that a slow machine does not reach. */
export const openTestDb = (url: string): Db =>
  openDb({
    url,
    applicationName: 'test',
    limits: { statement: 60_000, connection: 60_000 },
    prisma: createPrisma,
  });

/** The database of one test file, and stores over it. */
export interface Stored {
  url: string;
  db: Db;
  /** A store over the same database: another process. */
  replica(options?: {
    db?: Pick<Db, 'pool' | 'prisma'>;
    limits?: OpenItemLimits;
    relay?: Relay;
    retention?: Retention;
  }): PostgresPaymentStore;
  /** A store over an empty database. */
  empty(options?: { limits?: OpenItemLimits }): Promise<PostgresPaymentStore>;
  close(): Promise<void>;
}

export async function openStored(): Promise<Stored> {
  const database = await testDatabase('payments');
  const open = () => openTestDb(database.url);
  const db = open();
  const opened = [db];
  const openAnother = () => {
    const own = open();
    opened.push(own);
    return own;
  };
  const replica: Stored['replica'] = ({
    db: own = openAnother(),
    limits = LIMITS,
    relay = { wake() {} },
    retention = RETENTION,
  } = {}) => {
    return new PostgresPaymentStore({ db: own, relay, limits, retention });
  };
  return {
    url: database.url,
    db,
    replica,
    async empty({ limits = LIMITS } = {}) {
      await db.pool.query(`TRUNCATE ${TABLES}`);
      return new PostgresPaymentStore({ db, relay: { wake() {} }, limits, retention: RETENTION });
    },
    async close() {
      await Promise.all(opened.map((own) => own.close()));
      await database.drop();
    },
  };
}
