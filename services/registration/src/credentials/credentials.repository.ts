import type { Db } from '../db.ts';
import type { KnownClient } from '../directory/known-client.model.ts';
import type { Credentials } from './credentials.model.ts';

/**
 * The credentials of a client; undefined when it is unknown or deleted.
 * Plain SQL: one statement that looks up the same for a known and for an unknown id.
 * @param clientId a UUID
 */
export async function findCredentials(db: Db, clientId: string): Promise<Credentials | undefined> {
  const { rows } = await db.query<
    Omit<KnownClient, 'revision'> & { revision: string; secretHash: Uint8Array | null }
  >(
    `SELECT asked.id AS "clientId", client.name, client.roles, client.redirect_uris AS "redirectUris",
            client.organization_identifier AS "organizationIdentifier", client.revision,
            client.created_at AS "createdAt", false AS deleted,
            CASE WHEN client.deleted_at IS NULL THEN client.secret_hash END AS "secretHash",
            ARRAY(SELECT thumbprint FROM certificate_chain WHERE client_id = asked.id ORDER BY added_at, id)
              AS "certificateThumbprints"
     FROM (SELECT $1::uuid AS id) AS asked LEFT JOIN client ON client.id = asked.id`,
    [clientId],
  );
  const { secretHash, revision, ...client } = rows[0]!;
  return secretHash ? { client: { ...client, revision: BigInt(revision) }, secretHash } : undefined;
}
