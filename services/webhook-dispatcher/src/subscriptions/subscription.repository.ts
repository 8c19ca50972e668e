import { listParameter as list, type Tx } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import {
  NEW_MS,
  type NewSubscription,
  PAUSED_REASONS,
  type Subscription,
  type SubscriptionRequest,
} from './subscription.model.ts';

const LIVE = { status: { not: 'DELETED' } };

const FIELDS = {
  internalId: true,
  clientId: true,
  id: true,
  sealedKey: true,
  callbackUrl: true,
  eventTypes: true,
  status: true,
  pausedAt: true,
  pausedReason: true,
  createdAt: true,
} as const;

/**
 * Stores a new subscription, unless the client has used its id before, has as many live ones as it may, or has used up its
 * ids.
 * Creations of one client wait for each other, so that the limit holds.
 */
export async function insertSubscription(
  db: Db,
  subscription: NewSubscription,
  limits: { live: number; ids: number },
): Promise<'created' | 'duplicate' | 'too many' | 'too many ids'> {
  const { clientId, id } = subscription;
  return db.prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${clientId}, 0))`;
    if (await tx.subscription.findUnique({ where: { clientId_id: { clientId, id } } })) return 'duplicate';
    if ((await tx.subscription.count({ where: { clientId } })) >= limits.ids) return 'too many ids';
    if ((await tx.subscription.count({ where: { clientId, ...LIVE } })) >= limits.live) return 'too many';
    await tx.subscription.create({
      data: { ...subscription, sealedKey: Uint8Array.from(subscription.sealedKey) },
    });
    return 'created';
  });
}

/** The client's live subscription with this id. */
export async function findSubscription(
  db: Db,
  { clientId, id }: { clientId: string; id: string },
): Promise<Subscription | undefined> {
  const row = await db.prisma.subscription.findFirst({ where: { clientId, id, ...LIVE }, select: FIELDS });
  return row === null ? undefined : live(row);
}

/** The client's live subscriptions in the order of their creation. */
export async function listSubscriptions(db: Db, clientId: string): Promise<Subscription[]> {
  const rows = await db.prisma.subscription.findMany({
    where: { clientId, ...LIVE },
    select: FIELDS,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  return rows.map(live);
}

/** Those of these clients that have a live subscription of which not every replica need know the client yet. */
export async function newSubscribers(
  tx: Pick<Tx, 'query'>,
  clientIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await tx.query<{ client_id: string }>({
    name: 'new-subscribers',
    text: `SELECT given.client_id FROM unnest(${list(1, 'uuid')}) AS given (client_id)
           CROSS JOIN LATERAL (
             SELECT FROM subscription
             WHERE client_id = given.client_id AND status <> 'DELETED'
               AND created_at > now() - $2 * interval '1 millisecond'
             LIMIT 1
           ) AS fresh`,
    values: [clientIds, NEW_MS],
  });
  return new Set(rows.map((row) => row.client_id));
}

/**
 * Gives the client's live subscription another callback and other event types (§4.6). Another receiver is not made to
 * wait for the outage of the one before.
 * @returns how it is now, or nothing when there is none
 */
export async function replaceSubscription(
  tx: Tx,
  { clientId, id, callbackUrl, eventTypes }: SubscriptionRequest & { clientId: string; id: string },
): Promise<Subscription | undefined> {
  const { rows } = await tx.query<Subscription>(
    `UPDATE subscription SET callback_url = $3, event_types = $4,
       outages = CASE WHEN callback_url = $3 THEN outages ELSE 0 END,
       retry_at = CASE WHEN callback_url = $3 THEN retry_at END,
       failures = CASE WHEN callback_url = $3 THEN failures ELSE 0 END,
       failing_since = CASE WHEN callback_url = $3 THEN failing_since END
     WHERE client_id = $1 AND id = $2 AND status <> 'DELETED'
     RETURNING internal_id AS "internalId", client_id AS "clientId", id, sealed_key AS "sealedKey",
       callback_url AS "callbackUrl", event_types AS "eventTypes", status, paused_at AS "pausedAt",
       paused_reason AS "pausedReason", created_at AS "createdAt"`,
    [clientId, id, callbackUrl, eventTypes],
  );
  return rows[0];
}

/** What remains of a deleted subscription: its id, so that it stays taken. */
const TOMBSTONE = `status = 'DELETED', sealed_key = '', callback_url = '', claim_id = NULL, lease_until = NULL,
  paused_at = NULL, paused_reason = NULL`;

/**
 * Deletes the client's live subscription; whoever works on its deliveries has lost them.
 * @returns its internalId, or nothing when there is none
 */
export async function deleteSubscription(
  tx: Tx,
  { clientId, id }: { clientId: string; id: string },
): Promise<string | undefined> {
  const { rows } = await tx.query<{ internal_id: string }>(
    `WITH deleted AS (
       UPDATE subscription SET ${TOMBSTONE} WHERE client_id = $1 AND id = $2 AND status <> 'DELETED'
       RETURNING internal_id
     ), replays AS (
       DELETE FROM replay WHERE subscription_id = ANY (ARRAY(SELECT internal_id FROM deleted))
     )
     SELECT internal_id FROM deleted`,
    [clientId, id],
  );
  return rows[0]?.internal_id;
}

/** Deletes all subscriptions of these clients. @returns how many */
export async function deleteSubscriptionsOf(tx: Tx, clientIds: readonly string[]): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `WITH deleted AS (
       UPDATE subscription SET ${TOMBSTONE} WHERE client_id = ANY ($1::uuid[]) AND status <> 'DELETED'
       RETURNING internal_id
     ), replays AS (
       DELETE FROM replay WHERE subscription_id = ANY (ARRAY(SELECT internal_id FROM deleted))
     )
     SELECT count(*)::int AS count FROM deleted`,
    [clientIds],
  );
  return rows[0]!.count;
}

type Row = Omit<Subscription, 'status' | 'pausedReason'> & { status: string; pausedReason: string | null };

function live(row: Row): Subscription {
  const pausedReason = PAUSED_REASONS.find((reason) => reason === row.pausedReason) ?? null;
  return { ...row, status: row.status === 'PAUSED' ? 'PAUSED' : 'ACTIVE', pausedReason };
}
