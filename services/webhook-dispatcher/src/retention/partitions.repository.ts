import { inTransaction, type Tx } from '@kontoport/database';
import { dropPendingBefore } from '../deliveries/delivery.repository.ts';
import type { Db } from '../gen/db.ts';
import { type Day, dayAfter, dayOfPartition, partitionName } from './partition-day.model.ts';

/** The tables that have a partition for each day. */
const TABLES = ['event', 'delivery_log'] as const;

type Table = (typeof TABLES)[number];

/** Processes change partitions one at a time. The name is part of the lock: do not change it. */
const ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('webhook history', 0))";
/** A change gives up soon if the table is locked, and is tried again. */
const PATIENCE = "SET LOCAL lock_timeout = '2s'";

/** Creates the partitions of these days, unless they exist. */
export async function createPartitions(db: Pick<Db, 'pool'>, days: readonly Day[]): Promise<void> {
  for (const table of TABLES)
    await changePartitions(db, async (tx) => {
      for (const day of days)
        await tx.query(
          `CREATE TABLE IF NOT EXISTS ${partitionName(table, day)} PARTITION OF ${table}
           FOR VALUES FROM ('${day}T00:00:00Z') TO ('${dayAfter(day)}T00:00:00Z')`,
        );
    });
}

/**
 * Drops the days before `first` with their pending deliveries. Events go first, so that no more deliveries become pending. The log
 * goes last, because attempts in flight may end meanwhile.
 * @returns the days, and how many deliveries were pending
 */
export async function dropPartitionsBefore(
  db: Pick<Db, 'pool'>,
  first: Day,
): Promise<{ days: Day[]; pending: number }> {
  const events = await dropPartitions(db, 'event', first);
  const pending = await dropPendingBefore(db.pool, `${first}T00:00:00Z`);
  const logs = await dropPartitions(db, 'delivery_log', first);
  return { days: [...new Set([...events, ...logs])].toSorted(), pending };
}

async function dropPartitions(db: Pick<Db, 'pool'>, table: Table, first: Day): Promise<Day[]> {
  return changePartitions(db, async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
       WHERE inhparent = $1::regclass ORDER BY relname`,
      [table],
    );
    const days = rows.flatMap(({ name }) => dayOfPartition(name) ?? []).filter((day) => day < first);
    if (days.length > 0) await tx.query(`DROP TABLE ${days.map((day) => partitionName(table, day)).join()}`);
    return days;
  });
}

/**
 * Changes the parts of one table. Never of two in one transaction: statements that read both name them in different orders,
 * and one of them would wait for us while we wait for it.
 * SQL: a lock, and partitions, which Prisma does not know.
 */
function changePartitions<T>(db: Pick<Db, 'pool'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.query(PATIENCE);
    await tx.query(ALONE);
    return work(tx);
  });
}
