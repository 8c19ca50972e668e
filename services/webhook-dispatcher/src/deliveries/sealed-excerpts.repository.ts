import type { SealedRow, SealedTable } from '@kontoport/database';
import { excerptContext, type MadeAttempt } from './delivery.model.ts';

const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Condition: no process has the delivery in flight. An outcome is written to the `ctid` at which the delivery was read, and an
 * update would move it. A delivery is not in flight while it waits for its due time, or while no process claims its subscription;
 * after a pause, attempts in flight end within a minute.
 */
const AT_REST = `(
  due_at > clock_timestamp() + interval '1 minute' OR EXISTS (
    SELECT FROM subscription WHERE internal_id = $1 AND claim_id IS NULL
      AND (paused_at IS NULL OR paused_at < clock_timestamp() - interval '1 minute')
    FOR UPDATE
  )
)`;

/** The excerpts of pending deliveries and of the log, in this order: deliveries move from the first to the second. */
export const SEALED_EXCERPTS: readonly SealedTable[] = [
  excerpts({ name: 'pending deliveries', table: 'delivery', condition: AT_REST }),
  excerpts({ name: 'deliveries in the log', table: 'delivery_log', condition: 'true' }),
];

interface ExcerptRow {
  subscription_id: string;
  event_time: Date;
  event_id: string;
  made: MadeAttempt[] | null;
}

/**
 * The beginnings of refusals, in the attempts of a table. SQL: keyset pages, and updates that compare the old value.
 * @param options.condition when a row may be changed, in SQL
 */
function excerpts({
  name,
  table,
  condition,
}: {
  name: string;
  table: 'delivery' | 'delivery_log';
  condition: string;
}): SealedTable {
  const update = `UPDATE ${table} SET made = $4
    WHERE subscription_id = $1 AND event_time = $2 AND event_id = $3 AND made = $5 AND ${condition}`;
  return {
    name,
    async read(tx, after, limit) {
      const { rows } = await tx.query<ExcerptRow>(
        `SELECT subscription_id, event_time, event_id,
           CASE WHEN jsonb_path_exists(made, '$[*].sealedExcerpt') THEN made END AS made
         FROM ${table} WHERE (subscription_id, event_time, event_id) > ($1, $2, $3)
         ORDER BY subscription_id, event_time, event_id LIMIT $4`,
        [...(after ?? [NIL, '-infinity', NIL]), limit],
      );
      return rows.map((row) => sealedRow(row, update));
    },
  };
}

/** A row whose update must find the attempts unchanged (one statement). */
function sealedRow(row: ExcerptRow, update: string): SealedRow {
  const key = [row.subscription_id, row.event_time.toISOString(), row.event_id];
  const made = row.made ?? [];
  const context = excerptContext({ subscriptionId: row.subscription_id, eventId: row.event_id });
  const values = made.flatMap(({ sealedExcerpt }) =>
    sealedExcerpt === undefined ? [] : [Buffer.from(sealedExcerpt, 'base64')],
  );
  return {
    key,
    sealed: values.map((value) => ({ value, context })),
    async replace(tx, anew) {
      const next = anew.values();
      const changed = made.map((attempt) =>
        attempt.sealedExcerpt === undefined
          ? attempt
          : { ...attempt, sealedExcerpt: next.next().value!.toString('base64') },
      );
      const { rowCount } = await tx.query(update, [...key, JSON.stringify(changed), JSON.stringify(made)]);
      return rowCount === 1;
    },
  };
}
