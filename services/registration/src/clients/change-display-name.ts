import { ApiError } from '@kontoport/errors';
import type { Logger } from '@kontoport/lifecycle';
import { awaitPropagation, USUAL_PROPAGATION_MS } from '../directory/propagation.ts';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { storeDisplayName } from './client-changes.repository.ts';
import { clientUnknown } from './client.model.ts';

/**
 * Changes the client's display name to the name of one of its live certificate chains (§4.2).
 * @throws ApiError FORMAT_ERROR (400) for any other name, CLIENT_UNKNOWN, UNAVAILABLE
 */
export async function changeDisplayName(
  deps: { db: Db; hub: { wake(): void }; logger: Logger },
  options: { clientId: string; displayName: string; now: Date; signal: AbortSignal },
): Promise<void> {
  const { db, hub, logger } = deps;
  const { clientId, displayName, now, signal } = options;
  const revision = await storeDisplayName(db, { clientId, displayName, now });
  if (revision === undefined) throw clientUnknown();
  if (revision === 'unbacked') {
    const text = TEXTS('name-unbacked');
    throw new ApiError('FORMAT_ERROR', text, { details: [{ path: 'displayName', text }] });
  }
  hub.wake();
  const { acknowledged } = await awaitPropagation({ db, revision, limitMs: USUAL_PROPAGATION_MS, signal });
  logger.info({ clientId, revision: String(revision), acknowledged }, 'display name changed');
}
