import { inTransaction } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import { type Day, dayAfter, dayOfPart, partName } from './day.model.ts';

/** The tables that have a part for each day. */
const TABLES = ['event', 'delivery_log'] as const;

/** Processes change the parts one after the other. */
const ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('webhook history', 0))";
/** A change of parts waits for nobody who holds the table for long; it is tried again. */
const PATIENCE = "SET LOCAL lock_timeout = '2s'";

/** Makes the parts of these days, as far as they are not there. */
export function addDays(db: Pick<Db, 'pool'>, days: readonly Day[]): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.query(PATIENCE);
    await tx.query(ALONE);
    for (const table of TABLES)
      for (const day of days)
        await tx.query(
          `CREATE TABLE IF NOT EXISTS ${partName(table, day)} PARTITION OF ${table}
           FOR VALUES FROM ('${day}T00:00:00Z') TO ('${dayAfter(day)}T00:00:00Z')`,
        );
  });
}

/**
 * Drops the days before `first`, and what was still to be sent of them.
 * @returns the days, and how many deliveries were pending
 */
export function dropDaysBefore(db: Pick<Db, 'pool'>, first: Day): Promise<{ days: Day[]; pending: number }> {
  return inTransaction(db, async (tx) => {
    await tx.query(PATIENCE);
    await tx.query(ALONE);
    const { rows } = await tx.query<{ name: string }>(
      `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
       WHERE inhparent = ANY ($1::regclass[]) ORDER BY relname`,
      [[...TABLES]],
    );
    const old = rows.flatMap(({ name }) => {
      const day = dayOfPart(name);
      return day !== undefined && day < first ? [{ name, day }] : [];
    });
    if (old.length === 0) return { days: [], pending: 0 };
    const { rowCount } = await tx.query('DELETE FROM delivery WHERE event_time < $1', [`${first}T00:00:00Z`]);
    await tx.query(`DROP TABLE ${old.map(({ name }) => name).join()}`);
    return { days: [...new Set(old.map(({ day }) => day))], pending: rowCount ?? 0 };
  });
}
