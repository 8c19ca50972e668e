import { randomUUID } from 'node:crypto';
import type { Tx } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { TEST_EVENT } from '../events/webhook-event.model.ts';
import type { Db } from '../gen/db.ts';
import type { History } from '../history/keep-history.ts';
import type { DetailedDelivery, LogOwner } from '../log/delivery-log.model.ts';
import { selectDelivery } from '../log/delivery-log.repository.ts';
import { subscriptionUnknown } from '../subscriptions/subscription.model.ts';
import { TEXTS } from '../texts.ts';

/** Test events of one subscription within a day of UTC. */
const MOST_A_DAY = 1_000;

/**
 * Makes a `Webhook.TestV1` for one subscription, which is signed, sent and logged as any other (§4.6).
 * @throws ApiError STATUS_INVALID while the subscription is paused; RATE_LIMITED when it is tested more than once a second, or
 * more than 1,000 times a day; RESOURCE_UNKNOWN
 */
export async function sendTestEvent(
  { db, history }: { db: { management: Db }; history: Pick<History, 'makeRoom'> },
  { owner, now }: { owner: LogOwner; now: Date },
): Promise<DetailedDelivery> {
  const tx = db.management;
  const eventId = randomUUID();
  const content = { idempotencyKey: eventId, eventTime: now.toISOString(), eventType: TEST_EVENT, data: {} };
  await history.makeRoom([now]);
  const isMade = await insertTest(tx, owner, { eventId, time: now, content: JSON.stringify(content) });
  if (!isMade) throw await refusalOf(tx, owner);
  const made = await selectDelivery(tx, owner, eventId);
  if (made === undefined) throw subscriptionUnknown();
  return made;
}

/** The beginning of the day. */
const TODAY = "date_trunc('day', now(), 'UTC')";

async function insertTest(
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
    [clientId, id, eventId, time, TEST_EVENT, content, MOST_A_DAY],
  );
  return rowCount === 1;
}

/** Why none was made. */
async function refusalOf(tx: Tx, { clientId, id }: LogOwner): Promise<ApiError> {
  const { rows } = await tx.query<{ status: string; is_day: boolean; second: number; day: number }>(
    `SELECT status, tests >= $3 AND tested_at >= ${TODAY} AS is_day,
       ceil(extract(epoch FROM tested_at + interval '1 second' - now()))::int AS second,
       ceil(extract(epoch FROM ${TODAY} + interval '1 day' - now()))::int AS day
     FROM subscription WHERE client_id = $1 AND id = $2 AND status <> 'DELETED'`,
    [clientId, id, MOST_A_DAY],
  );
  const [row] = rows;
  if (row === undefined) return subscriptionUnknown();
  if (row.status === 'PAUSED') return new ApiError('STATUS_INVALID', TEXTS('subscription-paused'));
  const text = row.is_day ? TEXTS('tests-a-day', { most: MOST_A_DAY }) : TEXTS('tests-a-second');
  const retryAfterSeconds = Math.max(1, row.is_day ? row.day : row.second);
  return new ApiError('RATE_LIMITED', text, { retryAfterSeconds });
}
