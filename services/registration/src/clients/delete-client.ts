import type { Logger } from '@kontoport/lifecycle';
import { awaitPropagation, LAST_LEASE_MS } from '../directory/propagation.ts';
import type { Db } from '../gen/db.ts';
import { clientUnknown } from './client.model.ts';
import { storeDeletion } from './client.repository.ts';

/**
 * Deletes a client, or finds it deleted (§4.2). Returns when no replica of any service accepts the client any more: each
 * live one has acknowledged the deletion, and the lease of each silent one has ended.
 * @throws ApiError CLIENT_UNKNOWN; UNAVAILABLE when it is unknown whether the deletion was stored.
 */
export async function deleteClient(
  deps: { db: Db; hub: { wake(): void }; logger: Logger },
  options: { clientId: string; now: Date; signal: AbortSignal },
): Promise<void> {
  const { db, hub, logger } = deps;
  const { clientId, now, signal } = options;
  const revision = await storeDeletion(db, { clientId, now });
  if (revision === undefined) throw clientUnknown();
  hub.wake();
  const started = performance.now();
  const { acknowledged } = await awaitPropagation({ db, revision, limitMs: LAST_LEASE_MS, signal });
  const milliseconds = Math.round(performance.now() - started);
  logger.info({ clientId, revision: String(revision), acknowledged, milliseconds }, 'client deleted');
}
