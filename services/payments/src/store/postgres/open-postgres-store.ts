import { type DatabaseAccess, openDb, type Tx } from '@kontoport/database';
import { outboxRelay, type Producer } from '@kontoport/events';
import { type Closable, type Logger, Loop, type Readiness } from '@kontoport/lifecycle';
import { createPrisma, MIGRATION } from '../../gen/db.ts';
import type { OpenItemLimits } from './open-item-quota.ts';
import { PostgresPaymentStore } from './postgres-payment-store.ts';
import type { Retention } from './tables.ts';

const SWEEP_MS = 60_000;
const SWEEP_BATCH = 1_000;

/** Opens the database of payments, with the loops that sweep it and publish its events; nothing is connected yet. */
export function openPostgresStore(options: {
  service: string;
  database: () => DatabaseAccess;
  limits: { open: OpenItemLimits };
  retention: Retention;
  producer: Producer;
  logger: Logger;
}): {
  store: PostgresPaymentStore;
  loops: readonly Loop[];
  database: Closable & Tx & { readiness: Readiness };
} {
  const { service, database, limits, retention, producer, logger } = options;
  const db = openDb({
    ...database(),
    applicationName: service,
    prisma: createPrisma,
    migration: MIGRATION,
  });
  const relay = outboxRelay({ pool: db.pool, producer, logger });
  const store = new PostgresPaymentStore({ db, relay, limits: limits.open, retention });
  const sweep = new Loop({
    name: 'payment store sweep',
    everyMs: SWEEP_MS,
    // A full batch means that there may be more.
    work: async () => ((await store.sweep({ now: new Date(), limit: SWEEP_BATCH })) ? 0 : SWEEP_MS),
    logger,
  });
  return { store, loops: [sweep, relay], database: db };
}
