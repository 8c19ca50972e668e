import { randomUUID } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { inTransaction } from '@kontoport/database';
import type pg from 'pg';
import type { Db } from '../db.ts';
import { nextRevision } from '../directory/directory.repository.ts';
import type { CertificateChain, ChainCertificate, Client } from './client.model.ts';
import type { RegistrationRequest, StoredRegistration } from './registration-request.model.ts';

/** The client with its chains, oldest chain first; undefined when it is unknown or deleted. */
export async function findClient(db: Db, clientId: string): Promise<Client | undefined> {
  const row = await db.prisma.client.findFirst({
    where: { id: clientId, deletedAt: null },
    include: {
      certificateChains: {
        orderBy: [{ addedAt: 'asc' }, { id: 'asc' }],
        include: { certificates: { orderBy: { position: 'asc' } } },
      },
    },
  });
  if (!row) return undefined;
  return {
    clientId: row.id,
    name: row.name!,
    displayName: row.displayName!,
    roles: row.roles as Role[],
    redirectUris: row.redirectUris,
    organizationIdentifier: row.organizationIdentifier,
    certificateChains: row.certificateChains.map(({ certificates }) => ({
      certificates: certificates as unknown as [ChainCertificate, ...ChainCertificate[]],
    })),
    createdAt: row.createdAt,
  };
}

/**
 * Stores a new client, all of it or nothing. With a request id the first transaction to claim it wins; a concurrent twin
 * waits for the first one's end (at most the pool's statement limit), and claims the id itself when that failed.
 * Plain SQL: the claim is an upsert that returns the row of whoever came first.
 */
export function storeRegistration(
  db: Db,
  options: { client: Client; secretHash: Uint8Array; request?: RegistrationRequest | undefined },
): Promise<StoredRegistration> {
  const { client, secretHash, request } = options;
  return inTransaction(db, async (tx) => {
    if (request) {
      const first = await claimRequest(tx, { request, client });
      if (first.clientId !== client.clientId) return { created: false, ...first };
    }
    // Last before the writes: until the commit all other changes to clients wait for this one.
    const revision = await nextRevision(tx);
    await tx.query(
      `INSERT INTO client (id, name, display_name, roles, redirect_uris, organization_identifier, secret_hash,
                           revision, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        client.clientId,
        client.name,
        client.displayName,
        client.roles,
        client.redirectUris,
        client.organizationIdentifier,
        secretHash,
        revision,
        client.createdAt,
      ],
    );
    for (const chain of client.certificateChains)
      await insertChain(tx, { clientId: client.clientId, chain, addedAt: client.createdAt });
    return { created: true, revision };
  });
}

async function claimRequest(
  tx: pg.PoolClient,
  options: { request: RegistrationRequest; client: Client },
): Promise<{ clientId: string; bodyHash: Uint8Array }> {
  const { request, client } = options;
  const { rows } = await tx.query<{ clientId: string; bodyHash: Uint8Array }>(
    `INSERT INTO registration_request AS first (organization_identifier, request_id, body_hash, client_id, created_at)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (organization_identifier, request_id) DO UPDATE SET client_id = first.client_id
     RETURNING client_id AS "clientId", body_hash AS "bodyHash"`,
    [request.organizationIdentifier, request.requestId, request.bodyHash, client.clientId, client.createdAt],
  );
  return rows[0]!;
}

async function insertChain(
  tx: pg.PoolClient,
  options: { clientId: string; chain: CertificateChain; addedAt: Date },
): Promise<void> {
  const { clientId, chain, addedAt } = options;
  const chainId = randomUUID();
  await tx.query(
    'INSERT INTO certificate_chain (id, client_id, thumbprint, added_at) VALUES ($1, $2, $3, $4)',
    [chainId, clientId, chain.certificates[0].thumbprint, addedAt],
  );
  for (const [position, certificate] of chain.certificates.entries())
    await tx.query(
      `INSERT INTO certificate (chain_id, position, der, thumbprint, subject, subject_key_id, issuer, serial_number,
                                not_before, not_after)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        chainId,
        position,
        certificate.der,
        certificate.thumbprint,
        certificate.subject,
        certificate.subjectKeyId,
        certificate.issuer,
        certificate.serialNumber,
        certificate.notBefore,
        certificate.notAfter,
      ],
    );
}

/**
 * Turns a client into its tombstone; one that is deleted already stays as it is.
 * @returns the revision of the deletion; undefined when there never was such a client
 */
export function storeDeletion(db: Db, options: { clientId: string; now: Date }): Promise<bigint | undefined> {
  const { clientId, now } = options;
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ revision: string; deleted: boolean }>(
      'SELECT revision, deleted_at IS NOT NULL AS deleted FROM client WHERE id = $1 FOR UPDATE',
      [clientId],
    );
    const [found] = rows;
    if (!found) return undefined;
    if (found.deleted) return BigInt(found.revision);
    // The thumbprints in certificate_chain stay: over them the deletion itself may be repeated.
    await tx.query(
      `DELETE FROM certificate USING certificate_chain
       WHERE certificate.chain_id = certificate_chain.id AND certificate_chain.client_id = $1`,
      [clientId],
    );
    const revision = await nextRevision(tx);
    await tx.query(
      `UPDATE client SET name = NULL, display_name = NULL, secret_hash = NULL, redirect_uris = '{}',
                         revision = $2, deleted_at = $3
       WHERE id = $1`,
      [clientId, revision, now],
    );
    return revision;
  });
}

/** Deletes the request ids of registrations before `before`; the clients stay. */
export async function deleteRequests(db: Db, before: Date): Promise<void> {
  await db.query('DELETE FROM registration_request WHERE created_at < $1', [before]);
}
