import { randomUUID } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { redirectDigests, redirectUriDigests } from '@kontoport/client-directory';
import { nextRevision, writeAuditRecords } from '../directory/directory.repository.ts';
import { storedCertificates } from '../directory/known-client.model.ts';
import type { Db, PrismaTx } from '../gen/db.ts';
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

/** Finds a client with its chains, oldest chain first; undefined when it is unknown or deleted. */
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
 * Stores a new client completely or not at all. With a request id the first transaction to claim it wins. A concurrent one
 * waits for its end (at most the pool's statement limit), and claims the id itself if the first failed. If the first answer
 * was never sent, the client gets the new secret.
 * @throws ApiError IDEMPOTENCY_CONFLICT; STATUS_INVALID (409) at the organization's limit of live clients; RATE_LIMITED at
 * that of deleted ones
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
  return db.prisma.$transaction(async (tx) => {
    if (request) {
      const first = await claimRequest(tx, { request, client });
      if (first.clientId !== client.clientId)
        return repeatRegistration(tx, { request, first, secret, now: client.createdAt });
    }
    await requireRoomForDeleted(tx, { client, limits });
    const { clientId, createdAt: now } = client;
    await writeAuditRecords(tx, { action: 'CLIENT_REGISTERED', clientId, now });
    // Last before the writes: all other changes of clients wait from here until the commit.
    const revision = await nextRevision(tx);
    const { organizationIdentifier, certificateChains } = client;
    const live = { organizationIdentifier, deletedAt: null };
    // Exact, because `tx` orders the changes.
    if ((await tx.client.count({ where: live, take: limits.clients })) >= limits.clients)
      throw tooManyClients(limits);
    await tx.client.create({
      data: {
        id: clientId,
        name: client.name,
        displayName: client.displayName,
        roles: [...client.roles],
        redirectUris: [...client.redirectUris],
        redirectDigests: redirectDigests(client.redirectUris),
        redirectUriDigests: redirectUriDigests(client.redirectUris),
        organizationIdentifier,
        secretHash: secret.hash,
        secretPepperId: secret.pepperId,
        revision,
        createdAt: now,
        certificates: storedCertificates(certificateChains.map(leafOf)),
        namedUntil: endOfName(certificateChains.map(backingOf), client.displayName),
      },
      select: { id: true },
    });
    for (const chain of client.certificateChains)
      await insertChain(tx, { clientId: client.clientId, chain, addedAt: client.createdAt });
    return { secret: 'new', clientId: client.clientId, revision, renewed: false };
  });
}

/**
 * Runs before the changes are ordered, so that none waits for it. Registrations in flight may exceed the limit.
 * SQL: measured; by the organization as a value the planner reads all clients of one that has many.
 */
async function requireRoomForDeleted(
  tx: PrismaTx,
  { client, limits }: { client: Client; limits: RegistrationLimits },
): Promise<void> {
  const { organizationIdentifier, createdAt: now } = client;
  const [{ count, oldest }] = await tx.$queryRaw<[{ count: number; oldest: Date | null }]>`
    SELECT count(*)::int AS count, min(deleted_at) AS oldest FROM (
      SELECT deleted_at FROM client
      WHERE organization_identifier = (SELECT ${organizationIdentifier}::text) AND deleted_at IS NOT NULL
      LIMIT ${limits.deletedClients}) AS deleted`;
  if (oldest !== null && count >= limits.deletedClients) throw tooManyDeleted(limits, { oldest, now });
}

/** Adds a chain to a client that `tx` has locked or inserted. */
export async function insertChain(
  tx: PrismaTx,
  options: { clientId: string; chain: CertificateChain; addedAt: Date; chainId?: string },
): Promise<void> {
  const { clientId, chain, addedAt, chainId = randomUUID() } = options;
  const { displayName, roles, certificates } = chain;
  const [{ thumbprint, notAfter }] = certificates;
  await tx.certificateChain.create({
    data: { id: chainId, clientId, thumbprint, addedAt, displayName, roles: [...roles], notAfter },
    select: { id: true },
  });
  await tx.certificate.createMany({
    data: certificates.map((certificate, position) => ({
      ...certificate,
      chainId,
      position,
      der: Uint8Array.from(certificate.der),
    })),
  });
}

/** Locks a client, deleted ones included, until `tx` ends. SQL: a lock. */
async function lockClient(tx: PrismaTx, id: string) {
  await tx.$executeRaw`SELECT FROM client WHERE id = ${id}::uuid FOR UPDATE`;
  return tx.client.findUnique({ where: { id } });
}

/** Locks a live client until `tx` ends. Undefined when it is unknown or deleted. */
export async function lockLiveClient(tx: PrismaTx, id: string) {
  const found = await lockClient(tx, id);
  return found === null || found.deletedAt !== null
    ? undefined
    : { ...found, displayName: found.displayName! };
}

/**
 * Turns a client into its tombstone. A deleted one stays as it is.
 * @returns the revision of the deletion; undefined for an unknown client
 */
export function storeDeletion(db: Db, options: { clientId: string; now: Date }): Promise<bigint | undefined> {
  const { clientId, now } = options;
  return db.prisma.$transaction(async (tx) => {
    const found = await lockClient(tx, clientId);
    if (found === null) return undefined;
    if (found.deletedAt !== null) return found.revision;
    await writeAuditRecords(tx, { action: 'CLIENT_DELETED', clientId, now });
    return entomb(tx, { clientIds: [clientId], now });
  });
}

/**
 * Turns live clients that `tx` has locked into their tombstones. SQL for the clients: a batch.
 * @returns the revision of the last deletion
 */
export async function entomb(
  tx: PrismaTx,
  { clientIds, now }: { clientIds: string[]; now: Date },
): Promise<bigint> {
  // The thumbprints in certificate_chain stay: over them the deletion itself may be repeated.
  const ofClients = { clientId: { in: clientIds } };
  const chains = await tx.certificateChain.findMany({ where: ofClients, select: { id: true } });
  await tx.certificateChain.updateMany({ where: ofClients, data: { displayName: null } });
  // By their ids: the planner may use outdated table sizes for a join, and read all certificates.
  await tx.certificate.deleteMany({ where: { chainId: { in: chains.map(({ id }) => id) } } });
  const last = await nextRevision(tx, clientIds.length);
  await tx.$executeRaw`
    UPDATE client SET name = NULL, display_name = NULL, named_until = NULL, secret_hash = NULL,
                      secret_pepper_id = NULL, redirect_uris = '{}', redirect_digests = NULL, redirect_uri_digests = NULL,
                      revision = ${last}::bigint - ${clientIds.length}::bigint + deleted.number, deleted_at = ${now}
    FROM unnest(${clientIds}::uuid[]) WITH ORDINALITY AS deleted (id, number) WHERE client.id = deleted.id`;
  return last;
}
