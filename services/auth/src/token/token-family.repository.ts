import type { Role } from '@kontoport/certificates';
import type { Tx } from '@kontoport/database';
import type { Db, PrismaTx } from '../gen/db.ts';
import { judgeRefresh, type TokenFamily } from './token-family.model.ts';

/**
 * Families of one user for one client. Beyond it the oldest ends. It exceeds the limit of live consents in account-information,
 * and bounds a client that redeems one code after the other.
 */
const MAX_OF_USER = 250;

/** The tolerated clock difference: a service may accept an access token for this time after its end. */
const CLOCK_TOLERANCE_MS = 60_000;
const BATCH = 1_000;

/** Clients per statement, and revocations that it claims. */
const CLIENTS_PER_CLAIM = 200;
const CLAIMED = 20;

/** A cursor over the clients that have pending revocations: each claim continues after the last client. */
export class RevocationCursor {
  readonly most: number;
  /** The bytes of the last client's id. */
  after: Uint8Array = new Uint8Array();

  constructor(most = CLIENTS_PER_CLAIM) {
    this.most = most;
  }
}

/** A pending revocation: the access tokens of a family, until the last of them expires. */
export interface DueRevocation {
  id: string;
  clientId: string;
  accessUntil: Date;
}

/**
 * Stores the family of a redeemed code, and ends surplus families of the same user and client.
 * SQL for those: a batch that skips locked rows.
 */
export async function insertFamily(
  tx: PrismaTx,
  family: Omit<TokenFamily, 'generation' | 'rotatedAt' | 'rotatedOver' | 'endedAt'> & { createdAt: Date },
): Promise<void> {
  const { clientId, userId, createdAt, expiresAt } = family;
  await tx.tokenFamily.create({ data: { ...family, forgetAt: expiresAt }, select: { id: true } });
  await tx.$executeRaw`
    UPDATE token_family SET ended_at = ${createdAt}, forget_at = greatest(access_until, ${createdAt})
    WHERE id = ANY (ARRAY(
      SELECT id FROM token_family WHERE id = ANY (ARRAY(
        SELECT id FROM token_family WHERE client_id = ${clientId}::uuid AND user_id = ${userId}::uuid AND ended_at IS NULL
        ORDER BY created_at DESC, id OFFSET ${MAX_OF_USER} LIMIT 100))
      FOR UPDATE SKIP LOCKED))`;
}

type FamilyKey = Pick<TokenFamily, 'id' | 'clientId'>;

/** Finds a family of the client. The query has the id only: with both, the planner may read all families of the client. */
export async function findFamily(
  tx: PrismaTx,
  { id, clientId }: FamilyKey,
): Promise<(TokenFamily & { revocationDue: Date | null }) | undefined> {
  const found = await tx.tokenFamily.findUnique({ where: { id } });
  return found?.clientId === clientId ? { ...found, roles: found.roles as Role[] } : undefined;
}

/** Finds and locks a family until `tx` ends. SQL: a lock. */
async function lockFamily(tx: PrismaTx, key: FamilyKey): ReturnType<typeof findFamily> {
  await tx.$executeRaw`SELECT FROM token_family WHERE id = ${key.id}::uuid FOR UPDATE`;
  return findFamily(tx, key);
}

/**
 * Uses a refresh token under the lock of its family: one of several concurrent requests rotates it, and the others repeat that.
 * @param options.rotate whether the newest token is replaced
 * @param options.accessUntil the end of the access token to be issued
 * @returns the generation of the valid refresh token; undefined for a reused one
 */
export function refreshFamily(
  db: Db,
  options: FamilyKey & {
    accessUntil: Date;
    generation: number;
    thumbprint: string;
    rotate: boolean;
    now: Date;
  },
): Promise<number | undefined> {
  const { id, thumbprint, rotate, now } = options;
  return db.prisma.$transaction(async (tx) => {
    const family = await lockFamily(tx, options);
    if (family === undefined || family.endedAt !== null) return undefined;
    const verdict = judgeRefresh(family, options);
    if (verdict === 'reused') return undefined;
    const rotation = { generation: { increment: 1 }, rotatedAt: now, rotatedOver: thumbprint };
    const { generation } = await tx.tokenFamily.update({
      where: { id },
      data: {
        accessUntil: later(family.accessUntil, options.accessUntil),
        ...(verdict === 'newest' && rotate ? rotation : {}),
      },
      select: { generation: true },
    });
    return generation;
  });
}

const later = (one: Date, other: Date): Date => (one > other ? one : other);

/**
 * Ends a family of the client, and marks its access tokens for revocation. Idempotent.
 * @returns the pending revocation, if any
 */
export function endFamily(
  db: Db,
  { id, clientId, now }: FamilyKey & { now: Date },
): Promise<DueRevocation | undefined> {
  return db.prisma.$transaction(async (tx) => {
    const family = await lockFamily(tx, { id, clientId });
    if (family === undefined) return undefined;
    const { accessUntil, endedAt } = family;
    const revocationDue = endedAt === null && accessUntil > now ? now : family.revocationDue;
    if (endedAt === null)
      await tx.tokenFamily.update({
        where: { id },
        data: { endedAt: now, revocationDue, forgetAt: later(accessUntil, now) },
      });
    return revocationDue === null ? undefined : { id, clientId, accessUntil };
  });
}

/**
 * Claims pending revocations: the oldest of each client in turn, so that a client with many cannot delay the others. Claimed
 * ones are due again at `retryAt`, so that a failing one cannot delay them either.
 * SQL: a claim of a batch, which reads at most as many rows of a client as it can claim.
 */
export async function claimDueRevocations(
  tx: Tx,
  { now, retryAt, cursor }: { now: Date; retryAt: Date; cursor: RevocationCursor },
): Promise<DueRevocation[]> {
  const { rows } = await tx.query<{ reached: Uint8Array | null } & (DueRevocation | { id: null })>(
    // By the bytes of the id, which have their own index: the planner would read the whole index on client ids.
    `WITH RECURSIVE waiting AS (
       (SELECT uuid_send(client_id) AS client, 1 AS number FROM token_family
        WHERE revocation_due IS NOT NULL AND uuid_send(client_id) > $3
        ORDER BY uuid_send(client_id), revocation_due LIMIT 1)
       UNION ALL
       SELECT following.client, waiting.number + 1 FROM waiting CROSS JOIN LATERAL (
         SELECT uuid_send(client_id) AS client FROM token_family
         WHERE revocation_due IS NOT NULL AND uuid_send(client_id) > waiting.client
         ORDER BY uuid_send(client_id), revocation_due LIMIT 1
       ) AS following WHERE waiting.number < $4
     ), longest AS (
       SELECT id, revocation_due, row_number() OVER (PARTITION BY client ORDER BY revocation_due) AS turn
       FROM waiting CROSS JOIN LATERAL (
         SELECT id, revocation_due FROM token_family
         WHERE uuid_send(client_id) = waiting.client AND revocation_due <= $1
         ORDER BY revocation_due LIMIT ${CLAIMED}
       ) AS of_client
     ), taken AS (
       UPDATE token_family SET revocation_due = $2 WHERE id = ANY (ARRAY(
         SELECT id FROM token_family
         WHERE id = ANY (ARRAY(SELECT id FROM longest ORDER BY turn, revocation_due LIMIT ${CLAIMED}))
           AND coalesce(revocation_due, 'infinity') <= $1
         FOR UPDATE SKIP LOCKED))
       RETURNING id, client_id AS "clientId", access_until AS "accessUntil"
     )
     SELECT reached, taken.* FROM (SELECT (SELECT client FROM waiting WHERE number = $4) AS reached) AS walked
     LEFT JOIN taken ON true`,
    [now, retryAt, cursor.after, cursor.most],
  );
  cursor.after = rows[0]!.reached ?? new Uint8Array();
  return rows.flatMap((row) => (row.id === null ? [] : row));
}

/** Clears a pending revocation after every service refuses the access tokens. */
export async function markRevoked({ prisma }: Db, { id }: Pick<DueRevocation, 'id'>): Promise<void> {
  await prisma.tokenFamily.updateMany({ where: { id }, data: { revocationDue: null } });
}

/** Deletes families that have ended, after their last access token. SQL: a batch. @returns whether there may be more */
export async function deleteExpiredFamilies(tx: Tx, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM token_family WHERE id = ANY (ARRAY(
       SELECT id FROM token_family WHERE forget_at < $1 ORDER BY forget_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
    [new Date(now.getTime() - CLOCK_TOLERANCE_MS)],
  );
  return rowCount === BATCH;
}

/**
 * Deletes all families of clients. SQL: a batch; the lateral join makes the planner use the index for each client.
 * @returns the number of deleted families, at most `limit`
 */
export async function deleteFamiliesOf(
  tx: Tx,
  { clientIds, limit }: { clientIds: readonly string[]; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query(
    `DELETE FROM token_family WHERE id = ANY (ARRAY(
       SELECT found.id FROM unnest($1::uuid[]) AS gone (client_id) CROSS JOIN LATERAL (
         SELECT id FROM token_family WHERE client_id = gone.client_id LIMIT $2
       ) AS found LIMIT $2))`,
    [clientIds, limit],
  );
  return rowCount ?? 0;
}
