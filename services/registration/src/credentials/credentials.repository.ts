import type { StoredSecret } from '../clients/client-secret.model.ts';
import { type KnownClientRow, toKnownClient } from '../directory/directory.repository.ts';
import type { Db } from '../gen/db.ts';
import type { Credentials } from './credentials.model.ts';

/**
 * Finds the credentials of a client; undefined when it is unknown or deleted.
 * SQL: one statement that decides and reads, with the same work for a known and for an unknown id.
 * @param clientId a UUID
 */
export async function findCredentials(db: Db, clientId: string): Promise<Credentials | undefined> {
  const { rows } = await db.query<
    KnownClientRow & Pick<Credentials, 'secretPepperId' | 'used'> & { secretHash: Uint8Array | null }
  >(
    `SELECT asked.id AS "clientId", array_to_string(client.roles, ' ') AS roles,
            client.redirect_digests AS "redirectDigests", client.redirect_uri_digests AS "redirectUriDigests",
            CASE WHEN client.redirect_digests IS NULL THEN client.redirect_uris END AS "redirectUris",
            client.organization_identifier AS "organizationIdentifier", client.revision, false AS deleted,
            client.display_name AS "displayName", client.revoked_tokens AS "revokedTokens",
            client.used_at IS NOT NULL AS used,
            CASE WHEN client.deleted_at IS NULL THEN client.secret_hash END AS "secretHash",
            client.secret_pepper_id AS "secretPepperId", client.certificates
     FROM (SELECT $1::uuid AS id) AS asked LEFT JOIN client ON client.id = asked.id`,
    [clientId],
  );
  const { secretHash, secretPepperId, used, ...row } = rows[0]!;
  return secretHash ? { client: toKnownClient(row), secretHash, secretPepperId, used } : undefined;
}

/**
 * Records that the credentials of a client were accepted, and stores its secret's hash under the first pepper, unless another
 * secret has replaced it since the read. SQL: one statement decides and writes.
 * @param options.found the hash that was matched
 * @returns whether the client still lives
 */
export async function recordUse(
  db: Db,
  { clientId, found, secret }: { clientId: string; found: Uint8Array; secret: StoredSecret },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE client SET used_at = coalesce(used_at, now()),
            secret_hash = CASE WHEN secret_hash = $2 THEN $3 ELSE secret_hash END,
            secret_pepper_id = CASE WHEN secret_hash = $2 THEN $4 ELSE secret_pepper_id END
     WHERE id = $1 AND deleted_at IS NULL`,
    [clientId, found, secret.hash, secret.pepperId],
  );
  return rowCount === 1;
}

/** Counts the live clients under each pepper, by its id; null for secrets without one. */
export async function countByPepper({
  prisma,
}: Db): Promise<{ pepperId: Uint8Array | null; clients: number }[]> {
  const counts = await prisma.client.groupBy({
    by: 'secretPepperId',
    where: { deletedAt: null },
    _count: true,
  });
  return counts.map(({ secretPepperId, _count }) => ({ pepperId: secretPepperId, clients: _count }));
}
