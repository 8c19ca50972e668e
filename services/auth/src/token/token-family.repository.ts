// SQL, because a rotation is decided under the row's lock, and ends are written and told in one statement (ADR 15).
import { inTransaction, type Tx } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import { judgeRefresh, type TokenFamily } from './token-family.model.ts';

const FIELDS = `id, client_id AS "clientId", consent_id AS "consentId", user_id AS "userId", roles, generation,
  rotated_at AS "rotatedAt", rotated_over AS "rotatedOver", expires_at AS "expiresAt", access_until AS "accessUntil",
  ended_at AS "endedAt"`;

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

/** Stores what a code gave; what is too much of the same user for the same client ends. */
export async function insertFamily(
  tx: Tx,
  family: Omit<TokenFamily, 'generation' | 'rotatedAt' | 'rotatedOver' | 'endedAt'> & { createdAt: Date },
): Promise<void> {
  const { id, clientId, consentId, userId, roles, createdAt, expiresAt, accessUntil } = family;
  await tx.query(
    `INSERT INTO token_family (id, client_id, consent_id, user_id, roles, created_at, expires_at, access_until, forget_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $7)`,
    [id, clientId, consentId, userId, roles, createdAt, expiresAt, accessUntil],
  );
  await tx.query(
    `UPDATE token_family SET ended_at = $3, forget_at = greatest(access_until, $3) WHERE id = ANY (ARRAY(
       SELECT id FROM token_family WHERE id = ANY (ARRAY(
         SELECT id FROM token_family WHERE client_id = $1 AND user_id = $2 AND ended_at IS NULL
         ORDER BY created_at DESC, id OFFSET ${MOST_OF_USER} LIMIT 100))
       FOR UPDATE SKIP LOCKED))`,
    [clientId, userId, createdAt],
  );
}

/** Says of a family found by its id whose it is; `=` would leave the planner free to read all of the client's. */
const OF_CLIENT = 'client_id IS NOT DISTINCT FROM $2';

/** A family of the client. */
export async function findFamily(
  tx: Tx,
  { id, clientId }: Pick<TokenFamily, 'id' | 'clientId'>,
): Promise<TokenFamily | undefined> {
  const { rows } = await tx.query<TokenFamily>(
    `SELECT ${FIELDS} FROM token_family WHERE id = $1 AND ${OF_CLIENT}`,
    [id, clientId],
  );
  return rows[0];
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
  options: Pick<TokenFamily, 'id' | 'clientId' | 'accessUntil'> & {
    generation: number;
    thumbprint: string;
    rotate: boolean;
    now: Date;
  },
): Promise<number | undefined> {
  const { id, clientId, thumbprint, rotate, accessUntil, now } = options;
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<TokenFamily>(
      `SELECT ${FIELDS} FROM token_family WHERE id = $1 AND ${OF_CLIENT} FOR UPDATE`,
      [id, clientId],
    );
    const [family] = rows;
    const isLive = family !== undefined && family.endedAt === null;
    const verdict = isLive ? judgeRefresh(family, options) : 'reused';
    if (verdict === 'reused') return undefined;
    const isRotation = verdict === 'newest' && rotate;
    const { rows: changed } = await tx.query<{ generation: number }>(
      `UPDATE token_family SET access_until = greatest(access_until, $2), generation = generation + $3::int,
         rotated_at = CASE $3::int WHEN 1 THEN $4 ELSE rotated_at END,
         rotated_over = CASE $3::int WHEN 1 THEN $5 ELSE rotated_over END
       WHERE id = $1 RETURNING generation`,
      [id, accessUntil, isRotation ? 1 : 0, now, thumbprint],
    );
    return changed[0]?.generation;
  });
}

/**
 * Ends a family of the client, and notes that its access tokens are to be refused; again, it stays as it is.
 * @returns what is still to be refused; undefined when nothing is
 */
export async function endFamily(
  tx: Tx,
  { id, clientId, now }: Pick<TokenFamily, 'id' | 'clientId'> & { now: Date },
): Promise<DueRevocation | undefined> {
  const { rows } = await tx.query<DueRevocation & { revocationDue: Date | null }>(
    `UPDATE token_family SET
       revocation_due = CASE WHEN ended_at IS NULL AND access_until > $3 THEN $3 ELSE revocation_due END,
       forget_at = CASE WHEN ended_at IS NULL THEN greatest(access_until, $3) ELSE forget_at END,
       ended_at = coalesce(ended_at, $3)
     WHERE id = $1 AND ${OF_CLIENT}
     RETURNING id, client_id AS "clientId", access_until AS "accessUntil", revocation_due AS "revocationDue"`,
    [id, clientId, now],
  );
  const [ended] = rows;
  return ended === undefined || ended.revocationDue === null ? undefined : ended;
}

/**
 * Revocations that wait: of each client in turn the one that waits longest, so that none keeps the others however many it
 * has; each is put off until `againAt`, so that no one of them keeps the others. Of each client of the walk no more are read
 * than could be taken.
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

/** The access tokens of the family are refused everywhere. */
export async function noteRevoked(tx: Tx, { id }: Pick<DueRevocation, 'id'>): Promise<void> {
  await tx.query('UPDATE token_family SET revocation_due = NULL WHERE id = $1', [id]);
}

/** Forgets families that have ended, with all that they gave. @returns whether there may be more */
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
 * table for.
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
