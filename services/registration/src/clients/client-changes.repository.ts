import { randomUUID } from 'node:crypto';
import type { Role } from '@kontoport/certificates';
import { redirectDigests, redirectUriDigests } from '@kontoport/client-directory';
import { inTransaction } from '@kontoport/database';
import type pg from 'pg';
import { nextRevision, tellAuditors } from '../directory/directory.repository.ts';
import { storedCertificates } from '../directory/known-client.model.ts';
import type { Db } from '../gen/db.ts';
import { backingOf, type CertificateChain, endOfLife, endOfName, leafOf } from './client.model.ts';
import { insertChain } from './client.repository.ts';
import { type RegistrationLimits, tooManyChains } from './registration-limits.model.ts';

/** A live client while it is changed, as it was before. */
interface LockedClient {
  revision: bigint;
  redirectUris: string[];
  displayName: string;
}

/** The name that users read, and those that it may be exchanged for (§2.1). */
export interface DisplayNames {
  displayName: string;
  /** Of the chains that have not ended, the oldest first, none twice. */
  available: string[];
}

/** Nobody else changes or deletes the client until `tx` ends. Undefined when it is unknown or deleted. */
async function lockClient(tx: pg.PoolClient, clientId: string): Promise<LockedClient | undefined> {
  const { rows } = await tx.query<Omit<LockedClient, 'revision'> & { revision: string }>(
    `SELECT revision, redirect_uris AS "redirectUris", display_name AS "displayName" FROM client
     WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`,
    [clientId],
  );
  const [row] = rows;
  return row && { ...row, revision: BigInt(row.revision) };
}

/**
 * Exchanges the redirect URIs of a live client; the same ones, in the same order, are no change.
 * @returns the revision with which they hold; undefined when there is no such client
 */
export function storeRedirectUris(
  db: Db,
  { clientId, redirectUris, now }: { clientId: string; redirectUris: readonly string[]; now: Date },
): Promise<bigint | undefined> {
  return inTransaction(db, async (tx) => {
    const found = await lockClient(tx, clientId);
    if (!found) return undefined;
    const same = JSON.stringify(found.redirectUris) === JSON.stringify(redirectUris);
    if (same) return found.revision;
    await tellAuditors(tx, { action: 'REDIRECT_URIS_REPLACED', clientId, now });
    const revision = await nextRevision(tx);
    await tx.query(
      `UPDATE client SET redirect_uris = $2, redirect_digests = $3, redirect_uri_digests = $4, revision = $5
       WHERE id = $1`,
      [clientId, redirectUris, redirectDigests(redirectUris), redirectUriDigests(redirectUris), revision],
    );
    return revision;
  });
}

/** What a client is called, and may be; undefined when it is unknown or deleted. */
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
 * Calls a live client by a name of one of its live chains (§2.1); the one that it has already is no change.
 * @returns the revision with which it is called so; `unbacked` when no live chain has that name; undefined when there is no
 *   such client
 */
export function storeDisplayName(
  db: Db,
  { clientId, displayName, now }: { clientId: string; displayName: string; now: Date },
): Promise<bigint | 'unbacked' | undefined> {
  return inTransaction(db, async (tx) => {
    const found = await lockClient(tx, clientId);
    if (!found) return undefined;
    const namedUntil = endOfName(await chainsOf(tx, clientId), displayName);
    if (namedUntil === undefined || namedUntil < endOfLife(now)) return 'unbacked';
    if (found.displayName === displayName) return found.revision;
    await tellAuditors(tx, { action: 'DISPLAY_NAME_CHANGED', clientId, now });
    const revision = await nextRevision(tx);
    await tx.query('UPDATE client SET display_name = $2, named_until = $3, revision = $4 WHERE id = $1', [
      clientId,
      displayName,
      namedUntil,
      revision,
    ]);
    return revision;
  });
}

/** What an added certificate is judged by; undefined when the client is unknown or deleted. */
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
 * Adds a chain to a live client, unless it has that leaf, and takes those away that have ended: nobody can call over them.
 * @param options.updateDisplayName whether the client is called by the chain's name from now on; it is, too, when no chain
 *   is left that has its present name
 * @returns the revision with which all of it holds; undefined when there is no such client
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
  return inTransaction(db, async (tx) => {
    const found = await lockClient(tx, clientId);
    if (!found) return undefined;
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
      await tellAuditors(tx, { action: 'CERTIFICATE_ADDED', clientId, relatedIds: [chainId], now });
    }
    if (displayName !== found.displayName)
      await tellAuditors(tx, { action: 'DISPLAY_NAME_CHANGED', clientId, now });
    const kept = known ? live : [...live, { ...leafOf(chain), ...backingOf(chain) }];
    const revision = await nextRevision(tx);
    await tx.query(
      'UPDATE client SET display_name = $2, named_until = $3, certificates = $4, revision = $5 WHERE id = $1',
      [clientId, displayName, endOfName(kept, displayName), storedCertificates(kept), revision],
    );
    return revision;
  });
}

interface ChainRow {
  id: string;
  thumbprint: string;
  displayName: string | null;
  roles: string[];
  notAfter: Date;
}

/** Those of a live client, the oldest first. */
async function chainsOf(tx: pg.PoolClient, clientId: string): Promise<ChainRow[]> {
  const { rows } = await tx.query<ChainRow>(
    `SELECT id, thumbprint, display_name AS "displayName", roles, not_after AS "notAfter" FROM certificate_chain
     WHERE client_id = $1 ORDER BY added_at, id`,
    [clientId],
  );
  return rows;
}

async function removeChains(tx: pg.PoolClient, ids: readonly string[]): Promise<void> {
  await tx.query('DELETE FROM certificate WHERE chain_id = ANY ($1::uuid[])', [ids]);
  await tx.query('DELETE FROM certificate_chain WHERE id = ANY ($1::uuid[])', [ids]);
}
