import type { Tx } from '@kontoport/database';
import { TEST_EVENT } from '../event-types/webhook-event.model.ts';
import type { LogOwner } from '../log/delivery-log.model.ts';

/** Test events of one subscription within a day of UTC. */
export const MAX_TESTS_A_DAY = 1_000;

/** The beginning of the day. */
const TODAY = "date_trunc('day', now(), 'UTC')";

/**
 * Makes a test event and its delivery, unless there are too many. SQL: one statement decides and writes.
 * @returns whether it did
 */
export async function insertTest(
  tx: Tx,
  { clientId, id }: LogOwner,
  { eventId, time, content }: { eventId: string; time: Date; content: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH tested AS (
       UPDATE subscription SET tested_at = now(), tests = CASE WHEN tested_at >= ${TODAY} THEN tests + 1 ELSE 1 END
       WHERE client_id = $1 AND id = $2 AND status = 'ACTIVE'
         AND (tested_at IS NULL
           OR (tested_at <= now() - interval '1 second' AND (tested_at < ${TODAY} OR tests < $7)))
       RETURNING internal_id
     ), event AS (
       INSERT INTO event (id, time, type, audience, content) SELECT $3, $4, $5, ARRAY[$1::uuid], $6 FROM tested
     )
     INSERT INTO delivery (subscription_id, event_id, event_time) SELECT internal_id, $3, $4 FROM tested`,
    [clientId, id, eventId, time, TEST_EVENT, content, MAX_TESTS_A_DAY],
  );
  return rowCount === 1;
}

/** The reason why a subscription gets no test event now. */
export interface TestLimits {
  status: string;
  /** It had as many as a day allows. */
  isDayFull: boolean;
  /** Seconds until there may be another one, by the clock that counts them. */
  retryAfterSeconds: number;
}

/** Reads the limits of the owner's own live subscription. SQL: the database's clock decides. */
export async function findTestLimits(tx: Tx, { clientId, id }: LogOwner): Promise<TestLimits | undefined> {
  const { rows } = await tx.query<{ status: string; is_day_full: boolean; seconds: number }>(
    `SELECT status, is_day_full, greatest(1, ceil(extract(epoch FROM
       CASE WHEN is_day_full THEN ${TODAY} + interval '24 hours' ELSE tested_at + interval '1 second' END - now()
     )))::int AS seconds
     FROM (
       SELECT status, tested_at, coalesce(tested_at >= ${TODAY} AND tests >= $3, false) AS is_day_full
       FROM subscription WHERE client_id = $1 AND id = $2 AND status <> 'DELETED'
     ) AS own`,
    [clientId, id, MAX_TESTS_A_DAY],
  );
  const [row] = rows;
  return row && { status: row.status, isDayFull: row.is_day_full, retryAfterSeconds: row.seconds };
}
