import { listParameter as list, type Tx } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import {
  NEW_MS,
  type NewSubscription,
  PAUSED_REASONS,
  type Subscription,
  type SubscriptionRequest,
} from './subscription.model.ts';

/** Not deleted. */
export const LIVE = { status: { not: 'DELETED' } };

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
 * SQL: a lock, so that creations of one client wait for each other and the limit holds.
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

/**
 * Selects the clients with a live subscription so new that not every replica need know the client.
 * SQL: measured, for each poll of Kafka.
 */
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
 * Gives the client's live subscription another callback and other event types (§4.6). A new receiver does not wait for
 * the outage of the previous one.
 * @returns how it is now, or nothing when there is none
 */
export async function replaceSubscription(
  { prisma }: Db,
  { clientId, id, callbackUrl, eventTypes }: SubscriptionRequest & { clientId: string; id: string },
): Promise<Subscription | undefined> {
  const own = { clientId, id, ...LIVE };
  const [, [row]] = await prisma.$transaction([
    prisma.subscription.updateMany({
      where: { ...own, callbackUrl: { not: callbackUrl } },
      data: { callbackUrl, outages: 0, retryAt: null, failures: 0, failingSince: null },
    }),
    prisma.subscription.updateManyAndReturn({
      where: own,
      data: { callbackUrl, eventTypes },
      select: FIELDS,
    }),
  ]);
  return row && live(row);
}

/** The remainder of a deleted subscription: its id, so that it stays taken. */
const TOMBSTONE = {
  status: 'DELETED',
  sealedKey: new Uint8Array(),
  callbackUrl: '',
  claimId: null,
  leaseUntil: null,
  pausedAt: null,
  pausedReason: null,
};

/**
 * Deletes the client's live subscription. A process that holds its queue loses the claim.
 * @returns its internalId, or nothing when there is none
 */
export async function deleteSubscription(
  db: Db,
  { clientId, id }: { clientId: string; id: string },
): Promise<string | undefined> {
  return (await bury(db, { clientId, id }))[0];
}

/**
 * Deletes all subscriptions of these clients.
 * @param clientIds a hundred at most: the ids of all their subscriptions are parameters of one statement
 * @returns how many
 */
export async function deleteSubscriptionsOf(db: Db, clientIds: readonly string[]): Promise<number> {
  return (await bury(db, { clientId: { in: [...clientIds] } })).length;
}

/** @returns the internalIds of those that were live */
function bury(
  db: Db,
  which: { clientId: string; id: string } | { clientId: { in: string[] } },
): Promise<string[]> {
  return db.prisma.$transaction(async (tx) => {
    const deleted = await tx.subscription.updateManyAndReturn({
      where: { ...which, ...LIVE },
      data: TOMBSTONE,
      select: { internalId: true },
    });
    const internalIds = deleted.map(({ internalId }) => internalId);
    await tx.replay.deleteMany({ where: { subscriptionId: { in: internalIds } } });
    return internalIds;
  });
}

type Row = Omit<Subscription, 'status' | 'pausedReason'> & { status: string; pausedReason: string | null };

function live(row: Row): Subscription {
  const pausedReason = PAUSED_REASONS.find((reason) => reason === row.pausedReason) ?? null;
  return { ...row, status: row.status === 'PAUSED' ? 'PAUSED' : 'ACTIVE', pausedReason };
}
