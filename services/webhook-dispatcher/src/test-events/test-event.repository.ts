import type { Tx } from '@kontoport/database';
import { TEST_EVENT } from '../events/webhook-event.model.ts';
import type { Db } from '../gen/db.ts';
import type { LogOwner } from '../log/delivery-log.model.ts';
import { LIVE } from '../subscriptions/subscription.repository.ts';

/** Test events of one subscription within a day of UTC. */
export const MOST_A_DAY = 1_000;

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
    [clientId, id, eventId, time, TEST_EVENT, content, MOST_A_DAY],
  );
  return rowCount === 1;
}

/** How often the owner's own live subscription was tested, and how it stands. */
export async function findTests(
  { prisma }: Db,
  { clientId, id }: LogOwner,
): Promise<{ status: string; testedAt: Date | null; tests: number } | undefined> {
  const select = { status: true, testedAt: true, tests: true };
  return (await prisma.subscription.findFirst({ where: { clientId, id, ...LIVE }, select })) ?? undefined;
}
