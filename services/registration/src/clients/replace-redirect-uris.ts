import type { Logger } from '@kontoport/lifecycle';
import { awaitPropagation, LAST_LEASE_MS } from '../directory/propagation.ts';
import type { Db } from '../gen/db.ts';
import { storeRedirectUris } from './client-changes.repository.ts';
import { type Client, clientUnknown } from './client.model.ts';
import { findClient } from './client.repository.ts';
import { type RegistrationLimits, requireBoundedRedirects } from './registration-limits.model.ts';

/**
 * Replaces all redirect URIs of a client (§4.2). Returns when no replica of any service accepts a removed one: as for a
 * deletion, each has acknowledged the change, or its lease has ended.
 * @throws ApiError CLIENT_UNKNOWN, STATUS_INVALID (409) beyond the limits, UNAVAILABLE
 */
export async function replaceRedirectUris(
  deps: { db: Db; hub: { wake(): void }; limits: RegistrationLimits; logger: Logger },
  options: { clientId: string; redirectUris: readonly string[]; now: Date; signal: AbortSignal },
): Promise<Client> {
  const { db, hub, limits, logger } = deps;
  const { clientId, redirectUris, now, signal } = options;
  requireBoundedRedirects(redirectUris, limits);
  const revision = await storeRedirectUris(db, { clientId, redirectUris, now });
  if (revision === undefined) throw clientUnknown();
  hub.wake();
  const { acknowledged } = await awaitPropagation({ db, revision, limitMs: LAST_LEASE_MS, signal });
  logger.info({ clientId, revision: String(revision), acknowledged }, 'redirect URIs replaced');
  const client = await findClient(db, clientId);
  if (!client) throw clientUnknown();
  return client;
}
