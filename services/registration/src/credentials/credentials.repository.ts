import { type KnownClientRow, toKnownClient } from '../directory/directory.repository.ts';
import type { Db } from '../gen/db.ts';
import type { Credentials } from './credentials.model.ts';

/**
 * The credentials of a client; undefined when it is unknown or deleted.
 * Plain SQL: one statement that looks up the same for a known and for an unknown id.
 * @param clientId a UUID
 */
export async function findCredentials(db: Db, clientId: string): Promise<Credentials | undefined> {
  const { rows } = await db.query<KnownClientRow & { secretHash: Uint8Array | null; used: boolean }>(
    `SELECT asked.id AS "clientId", array_to_string(client.roles, ' ') AS roles,
            client.redirect_digests AS "redirectDigests", client.redirect_uri_digests AS "redirectUriDigests",
            CASE WHEN client.redirect_digests IS NULL THEN client.redirect_uris END AS "redirectUris",
            client.organization_identifier AS "organizationIdentifier", client.revision, false AS deleted,
            client.display_name AS "displayName", client.revoked_tokens AS "revokedTokens",
            client.used_at IS NOT NULL AS used,
            CASE WHEN client.deleted_at IS NULL THEN client.secret_hash END AS "secretHash", client.certificates
     FROM (SELECT $1::uuid AS id) AS asked LEFT JOIN client ON client.id = asked.id`,
    [clientId],
  );
  const { secretHash, used, ...row } = rows[0]!;
  return secretHash ? { client: toKnownClient(row), secretHash, used } : undefined;
}

/** Notes that the credentials of a client were accepted. @returns whether it still lives */
export async function recordUse(db: Db, clientId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'UPDATE client SET used_at = coalesce(used_at, now()) WHERE id = $1 AND deleted_at IS NULL',
    [clientId],
  );
  return rowCount === 1;
}
