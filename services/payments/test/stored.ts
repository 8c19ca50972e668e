import { type Db, openDb } from '@kontoport/database';
import type { Relay } from '@kontoport/events';
import { testDatabase } from '@kontoport/testing/postgres';
import { PrismaClient } from '../src/gen/prisma/client.ts';
import type { OpenLimits } from '../src/store/postgres/places.ts';
import { PostgresPaymentStore } from '../src/store/postgres/postgres-payment-store.ts';

export const DAY = 86_400_000;
const LIMITS = { ofClient: 1_000, ofOrganization: 1_000 };
const RETENTION = { openMs: DAY, paymentMs: 400 * DAY };
const TABLES = 'draft, basket, basket_payment, standing_order, outbox';

/** The database of one test file, and stores over it. */
export interface Stored {
  url: string;
  db: Db<PrismaClient>;
  /** A store over what is there: another process. */
  replica(options?: { limits?: OpenLimits; relay?: Relay }): PostgresPaymentStore;
  /** A store over nothing. */
  empty(options?: { limits?: OpenLimits }): Promise<PostgresPaymentStore>;
  close(): Promise<void>;
}

export async function openStored(): Promise<Stored> {
  const database = await testDatabase('payments');
  const open = (): Db<PrismaClient> =>
    openDb({
      url: database.url,
      applicationName: 'test',
      prisma: (adapter) => new PrismaClient({ adapter }),
    });
  const db = open();
  const replicas: Db[] = [db];
  const replica: Stored['replica'] = ({ limits = LIMITS, relay = { wake() {} } } = {}) => {
    const own = open();
    replicas.push(own);
    return new PostgresPaymentStore({ db: own, relay, limits, retention: RETENTION });
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
      await Promise.all(replicas.map((own) => own.close()));
      await database.drop();
    },
  };
}
