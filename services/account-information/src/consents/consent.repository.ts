import type { Role } from '@kontoport/certificates';
import type { Tx } from '@kontoport/database';
import type { PresentClient } from '../accounts/account.model.ts';
import type { Db } from '../gen/db.ts';
import { type Consent, type ConsentRequest, MAX_ENDED } from './consent.model.ts';

/** Consents in one answer. */
const MAX_LISTED = { ofClient: 1_000, ofUser: 200 };

/** First key of the advisory lock for counting the consents of a user for a client. */
const LOCK = 0x636f6e73;

/** By the client's clock, with its offset when the consent was given. */
const LIVE = `revoked_at IS NULL AND (valid_until IS NULL
  OR valid_until + clock_offset_ms * interval '1 millisecond' > client_now(client_id))`;
/** The expression of the index. */
const ENDED_AT = 'least(revoked_at, valid_until)';

// Looks up each account by its id, independent of the planner's statistics.
const COLUMNS = `consent.id, client_id, user_id, roles, granted_at, valid_until, revoked_at, ARRAY(
    SELECT owned.id::text FROM consent_account AS opened CROSS JOIN LATERAL (
      SELECT account.id, position FROM account
      WHERE account.id = opened.account_id AND type = 'CHECKING' AND closed_at IS NULL OFFSET 0
    ) AS owned WHERE opened.consent_id = consent.id ORDER BY position, owned.id) AS account_ids`;

interface ConsentRow {
  id: string;
  client_id: string;
  user_id: string;
  roles: Role[];
  granted_at: Date;
  valid_until: Date | null;
  revoked_at: Date | null;
  account_ids: string[];
}

/**
 * Finds the live consents of a client that open at least one account, oldest first, at most 1,000. SQL (one statement):
 * liveness depends on the client's clock, which it reads.
 */
export async function findLiveConsents(tx: Tx, { clientId }: PresentClient): Promise<Consent[]> {
  const { rows } = await tx.query<ConsentRow>({
    name: 'live-consents',
    text: `SELECT * FROM (
  SELECT ${COLUMNS} FROM consent WHERE client_id = $1::uuid AND ${LIVE}
) AS live WHERE account_ids <> '{}' ORDER BY granted_at, id LIMIT ${MAX_LISTED.ofClient}`,
    values: [clientId],
  });
  return rows.map(consentOf);
}

/** Finds a consent, live or not. SQL (order of statements): in the transaction that writes its event to the outbox. */
export async function findConsent(tx: Tx, consentId: string): Promise<Consent | undefined> {
  const { rows } = await tx.query<ConsentRow>({
    name: 'find-consent',
    text: `SELECT ${COLUMNS} FROM consent WHERE id = $1::uuid`,
    values: [consentId],
  });
  return rows.map(consentOf)[0];
}

/** Finds the accounts of a consent, closed ones included. SQL: as `findConsent`. */
export async function findStoredAccounts(tx: Tx, consentId: string): Promise<string[]> {
  const { rows } = await tx.query<{ account_id: string }>({
    name: 'stored-accounts',
    text: 'SELECT account_id FROM consent_account WHERE consent_id = $1::uuid',
    values: [consentId],
  });
  return rows.map((row) => row.account_id);
}

/** Finds a consent of a client, live or not. */
export async function findConsentOfClient(
  db: Db,
  { clientId }: PresentClient,
  consentId: string,
): Promise<Consent | undefined> {
  const found = await db.prisma.consent.findUnique({
    where: { id: consentId, clientId },
    include: {
      accounts: {
        select: { accountId: true },
        where: { account: { type: 'CHECKING', closedAt: null } },
        orderBy: [{ account: { position: 'asc' } }, { accountId: 'asc' }],
      },
    },
  });
  if (found === null) return undefined;
  const { accounts, roles, validUntil, revokedAt, clockOffsetMs: _, ...consent } = found;
  return {
    ...consent,
    accountIds: accounts.map(({ accountId }) => accountId),
    roles: roles as Role[],
    validUntil: validUntil ?? undefined,
    revokedAt: revokedAt ?? undefined,
  };
}

/**
 * Finds the consents of a user, at most 200: live ones first, because they can be revoked, and the newest first.
 * @param options.endedSince omits those that ended before
 */
export async function findConsentsOfUser(
  tx: Tx,
  { userId, endedSince }: { userId: string; endedSince: Date },
): Promise<Consent[]> {
  const { rows } = await tx.query<ConsentRow>({
    name: 'consents-of-user',
    text: `SELECT ${COLUMNS} FROM consent
WHERE user_id = $1::uuid AND (${ENDED_AT} IS NULL OR ${ENDED_AT} >= $2::timestamptz)
ORDER BY (${LIVE}) DESC, granted_at DESC, id DESC LIMIT ${MAX_LISTED.ofUser}`,
    values: [userId, endedSince],
  });
  return rows.map(consentOf);
}

/**
 * Counts the live consents of a user for a client. SQL (lock): concurrent transactions wait before they count or add one.
 * @returns the number of live consents
 */
export async function countLiveAlone(
  tx: Tx,
  { clientId, userId }: { clientId: string; userId: string },
): Promise<number> {
  await tx.query({
    name: 'lock-consents',
    text: `SELECT pg_advisory_xact_lock(${LOCK}, hashtext($1))`,
    values: [`${clientId}/${userId}`],
  });
  // A separate statement: its snapshot begins after the lock.
  const { rows } = await tx.query<{ count: number }>({
    name: 'count-consents',
    text: `SELECT count(*)::int AS count FROM consent
WHERE client_id = $1::uuid AND user_id = $2::uuid AND ${LIVE}`,
    values: [clientId, userId],
  });
  return rows[0]!.count;
}

/**
 * Adds a consent that begins now. SQL (order of statements): in the transaction that counts and writes its event.
 * @returns undefined when the id exists; else how many of the accounts are the user's, CHECKING and not closed. The
 *   caller decides whether to commit.
 */
export async function insertConsent(
  tx: Tx,
  { asked, now }: { asked: ConsentRequest; now: Date },
): Promise<number | undefined> {
  const { id, clientId, userId, roles, accountIds, validUntil } = asked;
  const added = await tx.query({
    name: 'add-consent',
    text: `INSERT INTO consent (id, client_id, user_id, roles, granted_at, valid_until, clock_offset_ms)
SELECT $1::uuid, $2::uuid, $3::uuid, $4::text[], $5::timestamptz, $6::timestamptz,
  coalesce((SELECT clock_offset_ms FROM sandbox_client WHERE client_id = $2::uuid), 0)
ON CONFLICT (id) DO NOTHING`,
    values: [id, clientId, userId, roles, now, validUntil],
  });
  if (added.rowCount === 0) return undefined;
  const opened = await tx.query({
    name: 'open-accounts',
    text: `INSERT INTO consent_account (consent_id, account_id)
SELECT $1::uuid, owned.id FROM unnest($2::uuid[]) AS named (id) CROSS JOIN LATERAL (
  SELECT account.id FROM account
  WHERE account.id = named.id AND type = 'CHECKING' AND closed_at IS NULL AND (user_id = $3::uuid
    OR EXISTS (SELECT FROM joint_owner WHERE account_id = named.id AND joint_owner.user_id = $3::uuid)) OFFSET 0
) AS owned`,
    values: [id, accountIds, userId],
  });
  return opened.rowCount ?? 0;
}

/**
 * Revokes a live consent. SQL (one statement): it decides whether the consent is live and ends it.
 * @returns whether the consent was live
 */
export async function endConsent(
  tx: Tx,
  { consentId, userId, now }: { consentId: string; userId: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'end-consent',
    // At or after its beginning, and not in the future by the column's rounding.
    text: `UPDATE consent SET revoked_at = greatest(granted_at, $3::timestamptz)
WHERE id = $1::uuid AND user_id = $2::uuid AND ${LIVE}`,
    values: [consentId, userId, now],
  });
  return rowCount === 1;
}

/**
 * Revokes the oldest live consents of a user for a client, except the automatic ones of the sandbox, which have no end. SQL
 * (one statement): as `endConsent`.
 * @returns their ids, at most `most`
 */
export async function endOldestGiven(
  tx: Tx,
  { clientId, userId, most, now }: { clientId: string; userId: string; most: number; now: Date },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'end-oldest-given',
    // Checked again under the lock: the user may revoke it concurrently.
    text: `UPDATE consent SET revoked_at = greatest(granted_at, $4::timestamptz)
WHERE id = ANY (ARRAY(
  SELECT id FROM consent
  WHERE client_id = $1::uuid AND user_id = $2::uuid AND valid_until IS NOT NULL AND ${LIVE}
  ORDER BY granted_at, id LIMIT $3)) AND ${LIVE}
RETURNING id`,
    values: [clientId, userId, most, now],
  });
  return rows.map(({ id }) => id);
}

/** Deletes the oldest ended consents of a user for a client beyond 200. SQL (one statement). */
export async function keepLatestEnded(
  tx: Tx,
  { clientId, userId }: { clientId: string; userId: string },
): Promise<void> {
  await tx.query({
    name: 'keep-latest-ended',
    text: `DELETE FROM consent WHERE id = ANY (ARRAY(
  SELECT id FROM consent WHERE client_id = $1::uuid AND user_id = $2::uuid AND NOT (${LIVE})
  ORDER BY ${ENDED_AT} DESC, id OFFSET ${MAX_ENDED}))`,
    values: [clientId, userId],
  });
}

/**
 * Deletes consents that ended before `before`, the oldest first. SQL (lock): concurrent replicas each delete different rows.
 * @returns the number of deleted consents, at most `limit`
 */
export async function deleteEnded(
  tx: Tx,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'delete-ended-consents',
    text: `DELETE FROM consent WHERE id = ANY (ARRAY(
  SELECT id FROM consent WHERE ${ENDED_AT} < $1::timestamptz
  ORDER BY ${ENDED_AT} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    values: [before, limit],
  });
  return rowCount ?? 0;
}

function consentOf(row: ConsentRow): Consent {
  return {
    id: row.id,
    clientId: row.client_id,
    userId: row.user_id,
    accountIds: row.account_ids,
    roles: row.roles,
    grantedAt: row.granted_at,
    validUntil: row.valid_until ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}
