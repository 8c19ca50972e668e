import { randomUUID } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { redirectDigests, redirectUriDigests } from '@kontoport/client-directory';
import { nextRevision, writeAuditRecords } from '../directory/directory.repository.ts';
import { storedCertificates } from '../directory/known-client.model.ts';
import type { Db, PrismaTx } from '../gen/db.ts';
import { backingOf, type CertificateChain, endOfLife, endOfName, leafOf } from './client.model.ts';
import { insertChain, lockLiveClient } from './client.repository.ts';
import { type RegistrationLimits, tooManyChains } from './registration-limits.model.ts';

/** The display name, and the names to which it may be changed (§2.1). */
export interface DisplayNames {
  displayName: string;
  /** Names of the chains that have not ended, the oldest first, each once. */
  available: string[];
}

/**
 * Replaces the redirect URIs of a live client. The same ones in the same order are no change.
 * @returns the revision that contains them; undefined for an unknown or deleted client
 */
export function storeRedirectUris(
  db: Db,
  { clientId, redirectUris, now }: { clientId: string; redirectUris: readonly string[]; now: Date },
): Promise<bigint | undefined> {
  return db.prisma.$transaction(async (tx) => {
    const found = await lockLiveClient(tx, clientId);
    if (found === undefined) return undefined;
    const same = JSON.stringify(found.redirectUris) === JSON.stringify(redirectUris);
    if (same) return found.revision;
    await writeAuditRecords(tx, { action: 'REDIRECT_URIS_REPLACED', clientId, now });
    const revision = await nextRevision(tx);
    await updateClient(tx, clientId, {
      redirectUris: [...redirectUris],
      redirectDigests: redirectDigests(redirectUris),
      redirectUriDigests: redirectUriDigests(redirectUris),
      revision,
    });
    return revision;
  });
}

/** Finds a client's display name and the available ones; undefined when it is unknown or deleted. */
export async function findDisplayNames(
  db: Db,
  { clientId, now }: { clientId: string; now: Date },
): Promise<DisplayNames | undefined> {
  const row = await db.prisma.client.findFirst({
    where: { id: clientId, deletedAt: null },
    select: {
      displayName: true,
      certificateChains: {
        where: { notAfter: { gte: endOfLife(now) } },
        orderBy: [{ addedAt: 'asc' }, { id: 'asc' }],
        select: { displayName: true },
      },
    },
  });
  if (!row) return undefined;
  const names = row.certificateChains.flatMap(({ displayName }) => displayName ?? []);
  return { displayName: row.displayName!, available: [...new Set(names)] };
}

/**
 * Changes a live client's display name to that of one of its live chains (§2.1). Its present name is no change.
 * @returns the revision that contains it; `unbacked` when no live chain has that name; undefined for an unknown or deleted
 *   client
 */
export function storeDisplayName(
  db: Db,
  { clientId, displayName, now }: { clientId: string; displayName: string; now: Date },
): Promise<bigint | 'unbacked' | undefined> {
  return db.prisma.$transaction(async (tx) => {
    const found = await lockLiveClient(tx, clientId);
    if (found === undefined) return undefined;
    const namedUntil = endOfName(await chainsOf(tx, clientId), displayName);
    if (namedUntil === undefined || namedUntil < endOfLife(now)) return 'unbacked';
    if (found.displayName === displayName) return found.revision;
    await writeAuditRecords(tx, { action: 'DISPLAY_NAME_CHANGED', clientId, now });
    const revision = await nextRevision(tx);
    await updateClient(tx, clientId, { displayName, namedUntil, revision });
    return revision;
  });
}

/** Finds the data against which an added certificate is checked; undefined when the client is unknown or deleted. */
export async function findRegistered(
  db: Db,
  clientId: string,
): Promise<{ organizationIdentifier: string; roles: readonly Role[] } | undefined> {
  const row = await db.prisma.client.findFirst({
    where: { id: clientId, deletedAt: null },
    select: { organizationIdentifier: true, roles: true },
  });
  return row ? { ...row, roles: row.roles as Role[] } : undefined;
}

/**
 * Adds a chain to a live client, unless it has that leaf, and deletes its ended chains, over which no call is accepted.
 * @param options.updateDisplayName whether the chain's name becomes the display name; it does, too, when no chain with the
 *   present name remains
 * @returns the revision that contains all of it; undefined for an unknown or deleted client
 * @throws ApiError STATUS_INVALID (409) when the client has as many live chains as it may have
 */
export function storeChain(
  db: Db,
  options: {
    clientId: string;
    chain: CertificateChain;
    updateDisplayName: boolean;
    limits: RegistrationLimits;
    now: Date;
  },
): Promise<bigint | undefined> {
  const { clientId, chain, updateDisplayName, limits, now } = options;
  return db.prisma.$transaction(async (tx) => {
    const found = await lockLiveClient(tx, clientId);
    if (found === undefined) return undefined;
    const chains = await chainsOf(tx, clientId);
    const live = chains.filter(({ notAfter }) => notAfter >= endOfLife(now));
    const known = live.some(({ thumbprint }) => thumbprint === chain.certificates[0].thumbprint);
    if (!known && live.length >= limits.certificateChains) throw tooManyChains(limits);
    const backed = live.some(({ displayName }) => displayName === found.displayName);
    const displayName = updateDisplayName || !backed ? chain.displayName : found.displayName;
    if (known && displayName === found.displayName) return found.revision;
    if (!known) {
      await removeChains(
        tx,
        chains.filter((each) => !live.includes(each)).map(({ id }) => id),
      );
      const chainId = randomUUID();
      await insertChain(tx, { clientId, chain, addedAt: now, chainId });
      await writeAuditRecords(tx, { action: 'CERTIFICATE_ADDED', clientId, relatedIds: [chainId], now });
    }
    if (displayName !== found.displayName)
      await writeAuditRecords(tx, { action: 'DISPLAY_NAME_CHANGED', clientId, now });
    const kept = known ? live : [...live, { ...leafOf(chain), ...backingOf(chain) }];
    const revision = await nextRevision(tx);
    await updateClient(tx, clientId, {
      displayName,
      namedUntil: endOfName(kept, displayName) ?? null,
      certificates: storedCertificates(kept),
      revision,
    });
    return revision;
  });
}

async function updateClient(
  tx: PrismaTx,
  id: string,
  data: Parameters<PrismaTx['client']['update']>[0]['data'],
): Promise<void> {
  await tx.client.update({ where: { id }, data, select: { id: true } });
}

/** Finds the chains of a live client, the oldest first. */
async function chainsOf(tx: PrismaTx, clientId: string) {
  const chains = await tx.certificateChain.findMany({
    where: { clientId },
    orderBy: [{ addedAt: 'asc' }, { id: 'asc' }],
  });
  return chains.map((chain) => ({ ...chain, notAfter: chain.notAfter! }));
}

async function removeChains(tx: PrismaTx, ids: string[]): Promise<void> {
  await tx.certificate.deleteMany({ where: { chainId: { in: ids } } });
  await tx.certificateChain.deleteMany({ where: { id: { in: ids } } });
}
