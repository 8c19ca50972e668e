import { randomUUID } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { redirectDigests, redirectUriDigests } from '@kontoport/client-directory';
import { inTransaction } from '@kontoport/database';
import type pg from 'pg';
import { nextRevision, tellAuditors } from '../directory/directory.repository.ts';
import { storedCertificates } from '../directory/known-client.model.ts';
import type { Db } from '../gen/db.ts';
import type { StoredSecret } from './client-secret.model.ts';
import {
  backingOf,
  type CertificateChain,
  type ChainCertificate,
  type Client,
  endOfName,
  leafOf,
} from './client.model.ts';
import { type RegistrationLimits, tooManyClients, tooManyDeleted } from './registration-limits.model.ts';
import type { RegistrationRequest, StoredRegistration } from './registration-request.model.ts';
import { claimRequest, repeatRegistration } from './registration.repository.ts';

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
    certificateChains: row.certificateChains.map(({ certificates, displayName, roles }) => ({
      displayName: displayName!,
      roles: roles as Role[],
      certificates: certificates as unknown as [ChainCertificate, ...ChainCertificate[]],
    })),
    createdAt: row.createdAt,
  };
}

/**
 * Stores a new client, all of it or nothing. With a request id the first transaction to claim it wins; a concurrent twin
 * waits for the first one's end (at most the pool's statement limit), and claims the id itself when that failed. When the
 * first answer never left, the client gets the new secret.
 * Plain SQL: see `claimRequest`.
 * @throws ApiError IDEMPOTENCY_CONFLICT; STATUS_INVALID (409) when the organization has as many live clients as it may have; RATE_LIMITED when
 * as many deleted ones
 */
export function storeRegistration(
  db: Db,
  options: {
    client: Client;
    secret: StoredSecret;
    request?: RegistrationRequest | undefined;
    limits: RegistrationLimits;
  },
): Promise<StoredRegistration> {
  const { client, secret, request, limits } = options;
  return inTransaction(db, async (tx) => {
    if (request) {
      const first = await claimRequest(tx, { request, client });
      if (first.clientId !== client.clientId)
        return repeatRegistration(tx, { request, first, secret, now: client.createdAt });
    }
    await requireRoomForDeleted(tx, { client, limits });
    const { clientId, createdAt: now } = client;
    await tellAuditors(tx, { action: 'CLIENT_REGISTERED', clientId, now });
    // Last before the writes: until the commit all other changes to clients wait for this one.
    const revision = await nextRevision(tx);
    if (await hasClients(tx, client.organizationIdentifier, limits.clients)) throw tooManyClients(limits);
    await tx.query(
      `INSERT INTO client (id, name, display_name, roles, redirect_uris, redirect_digests, redirect_uri_digests,
                           organization_identifier, secret_hash, revision, created_at, certificates, named_until,
                           secret_pepper_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
      [
        client.clientId,
        client.name,
        client.displayName,
        client.roles,
        client.redirectUris,
        redirectDigests(client.redirectUris),
        redirectUriDigests(client.redirectUris),
        client.organizationIdentifier,
        secret.hash,
        revision,
        client.createdAt,
        storedCertificates(client.certificateChains.map(leafOf)),
        endOfName(client.certificateChains.map(backingOf), client.displayName),
        secret.pepperId,
      ],
    );
    for (const chain of client.certificateChains)
      await insertChain(tx, { clientId: client.clientId, chain, addedAt: client.createdAt });
    return { secret: 'new', clientId: client.clientId, revision, renewed: false };
  });
}

/** Whether an organization has so many live clients; exact while `tx` orders the changes. */
async function hasClients(tx: pg.PoolClient, organizationIdentifier: string, many: number): Promise<boolean> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT FROM client WHERE organization_identifier = $1 AND deleted_at IS NULL LIMIT $2) AS live`,
    [organizationIdentifier, many],
  );
  return rows[0]!.count >= many;
}

/**
 * Before the changes are ordered, so that nobody waits for it: registrations in flight may go beyond the bound.
 * Plain SQL: the organization is looked up in the statement, so that it is planned for any, whoever has many.
 */
async function requireRoomForDeleted(
  tx: pg.PoolClient,
  { client, limits }: { client: Client; limits: RegistrationLimits },
): Promise<void> {
  const { rows } = await tx.query<{ count: number; oldest: Date | null }>(
    `SELECT count(*)::int AS count, min(deleted_at) AS oldest FROM (
       SELECT deleted_at FROM client
       WHERE organization_identifier = (SELECT $1::text) AND deleted_at IS NOT NULL LIMIT $2) AS deleted`,
    [client.organizationIdentifier, limits.deletedClients],
  );
  const { count, oldest } = rows[0]!;
  if (oldest !== null && count >= limits.deletedClients)
    throw tooManyDeleted(limits, { oldest, now: client.createdAt });
}

/** Adds a chain to a client that `tx` has locked or made. */
export async function insertChain(
  tx: pg.PoolClient,
  options: { clientId: string; chain: CertificateChain; addedAt: Date; chainId?: string },
): Promise<void> {
  const { clientId, chain, addedAt, chainId = randomUUID() } = options;
  const [leaf] = chain.certificates;
  await tx.query(
    `INSERT INTO certificate_chain (id, client_id, thumbprint, added_at, display_name, roles, not_after)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [chainId, clientId, leaf.thumbprint, addedAt, chain.displayName, chain.roles, leaf.notAfter],
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
    await tellAuditors(tx, { action: 'CLIENT_DELETED', clientId, now });
    return entomb(tx, { clientIds: [clientId], now });
  });
}

/**
 * Turns live clients that `tx` has locked into their tombstones.
 * @returns the revision of the last deletion
 */
export async function entomb(
  tx: pg.PoolClient,
  { clientIds, now }: { clientIds: readonly string[]; now: Date },
): Promise<bigint> {
  // The thumbprints in certificate_chain stay: over them the deletion itself may be repeated.
  const chains = await tx.query<{ id: string }>(
    'SELECT id FROM certificate_chain WHERE client_id = ANY ($1::uuid[])',
    [clientIds],
  );
  await tx.query('UPDATE certificate_chain SET display_name = NULL WHERE client_id = ANY ($1::uuid[])', [
    clientIds,
  ]);
  // By their ids: a join would be planned for the sizes of another day, and read every certificate there is.
  await tx.query('DELETE FROM certificate WHERE chain_id = ANY ($1::uuid[])', [
    chains.rows.map(({ id }) => id),
  ]);
  const last = await nextRevision(tx, clientIds.length);
  await tx.query(
    `UPDATE client SET name = NULL, display_name = NULL, named_until = NULL, secret_hash = NULL,
                       secret_pepper_id = NULL, redirect_uris = '{}', redirect_digests = NULL, redirect_uri_digests = NULL,
                       revision = $2::bigint - $3::bigint + deleted.number, deleted_at = $4
     FROM unnest($1::uuid[]) WITH ORDINALITY AS deleted (id, number) WHERE client.id = deleted.id`,
    [clientIds, last, clientIds.length, now],
  );
  return last;
}
