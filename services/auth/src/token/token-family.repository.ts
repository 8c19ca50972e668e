import type { Role } from '@kontoport/certificates';
import type { Tx } from '@kontoport/database';
import type { Db, PrismaTx } from '../gen/db.ts';
import { judgeRefresh, type TokenFamily } from './token-family.model.ts';

/**
 * Families of one user for one client; with one more, the oldest ends. They are more than a user's live consents, which
 * account-information bounds, and bound what a client leaves behind that redeems one code after the other.
 */
const MOST_OF_USER = 250;

/** Clocks differ by less; access tokens may be taken for so long after their end. */
const CLOCKS_MS = 60_000;
const AT_A_TIME = 1_000;

/** Clients whose revocations one statement looks at, and how many it takes. */
const CLIENTS_OF_A_WALK = 200;
const TAKEN = 20;

/** A way round all clients whose revocations wait, so many of them in one statement. */
export class RevocationWalk {
  readonly most: number;
  /** The octets of the client's id after which it goes on. */
  after: Uint8Array = new Uint8Array();

  constructor(most = CLIENTS_OF_A_WALK) {
    this.most = most;
  }
}

/** Access tokens that are to be refused everywhere: those of a family, until the last of them ends. */
export interface DueRevocation {
  id: string;
  clientId: string;
  accessUntil: Date;
}

/**
 * Stores the family of a redeemed code; surplus families of the same user for the same client end.
 * SQL for those: a batch, which leaves what others have locked.
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
        ORDER BY created_at DESC, id OFFSET ${MOST_OF_USER} LIMIT 100))
      FOR UPDATE SKIP LOCKED))`;
}

type FamilyKey = Pick<TokenFamily, 'id' | 'clientId'>;

/** A family of the client. Its id alone is in the query: with both, the planner may read all families of the client. */
export async function findFamily(
  tx: PrismaTx,
  { id, clientId }: FamilyKey,
): Promise<(TokenFamily & { revocationDue: Date | null }) | undefined> {
  const found = await tx.tokenFamily.findUnique({ where: { id } });
  return found?.clientId === clientId ? { ...found, roles: found.roles as Role[] } : undefined;
}

/** The same; nobody else changes the family until `tx` ends. SQL: a lock. */
async function lockFamily(tx: PrismaTx, key: FamilyKey): ReturnType<typeof findFamily> {
  await tx.$executeRaw`SELECT FROM token_family WHERE id = ${key.id}::uuid FOR UPDATE`;
  return findFamily(tx, key);
}

/**
 * Takes a refresh token of a family and gives the newest, under the row's lock: of tokens that come at the same moment one
 * rotates, and the others are repetitions of it.
 * @param options.rotate whether the newest one gives way to another
 * @param options.accessUntil end of the access token that is to be issued
 * @returns the generation of the token that is good now; undefined when the one shown is not
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
 * Ends a family of the client, and notes that its access tokens are to be refused; again, it stays as it is.
 * @returns what is still to be refused; undefined when nothing is
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
 * Revocations that wait: of each client in turn the one that waits longest, so that none keeps the others however many it
 * has; each is put off until `againAt`, so that no one of them keeps the others. Of each client of the walk no more are read
 * than could be taken.
 * SQL: a claim of a batch.
 */
export async function takeDueRevocations(
  tx: Tx,
  { now, againAt, walk }: { now: Date; againAt: Date; walk: RevocationWalk },
): Promise<DueRevocation[]> {
  const { rows } = await tx.query<{ reached: Uint8Array | null } & (DueRevocation | { id: null })>(
    // By the octets of its id, for which there is this index alone: that of all its families would be read from end to end.
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
         ORDER BY revocation_due LIMIT ${TAKEN}
       ) AS of_client
     ), taken AS (
       UPDATE token_family SET revocation_due = $2 WHERE id = ANY (ARRAY(
         SELECT id FROM token_family
         WHERE id = ANY (ARRAY(SELECT id FROM longest ORDER BY turn, revocation_due LIMIT ${TAKEN}))
           AND coalesce(revocation_due, 'infinity') <= $1
         FOR UPDATE SKIP LOCKED))
       RETURNING id, client_id AS "clientId", access_until AS "accessUntil"
     )
     SELECT reached, taken.* FROM (SELECT (SELECT client FROM waiting WHERE number = $4) AS reached) AS walked
     LEFT JOIN taken ON true`,
    [now, againAt, walk.after, walk.most],
  );
  walk.after = rows[0]!.reached ?? new Uint8Array();
  return rows.flatMap((row) => (row.id === null ? [] : row));
}

/** Notes that the access tokens of the family are refused everywhere. */
export async function noteRevoked({ prisma }: Db, { id }: Pick<DueRevocation, 'id'>): Promise<void> {
  await prisma.tokenFamily.updateMany({ where: { id }, data: { revocationDue: null } });
}

/** Forgets families that have ended, with all that they gave. SQL: a batch. @returns whether there may be more */
export async function forgetFamilies(tx: Tx, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `DELETE FROM token_family WHERE id = ANY (ARRAY(
       SELECT id FROM token_family WHERE forget_at < $1 ORDER BY forget_at LIMIT ${AT_A_TIME} FOR UPDATE SKIP LOCKED))`,
    [new Date(now.getTime() - CLOCKS_MS)],
  );
  return rowCount === AT_A_TIME;
}

/**
 * Deletes families of clients, live ones included. Each client's are looked up by its id, whatever the planner takes the
 * table for. SQL: a batch.
 * @returns how many, at most `limit`
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
