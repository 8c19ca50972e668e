import { ApiError } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import type { Logger } from '@kontoport/lifecycle';
import { z } from 'zod';
import { awaitPropagation, LAST_LEASE_MS } from '../directory/propagation.ts';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { storeRevocation } from './revocation.repository.ts';

/** A stored token id contains no blank. */
const revocation = z.object({
  clientId: uuid,
  tokenId: z.string().regex(/^[\w-]{1,64}$/),
  expiresAt: z.bigint().positive(),
});

/**
 * Revokes a token (§4.1, RFC 7009). As a deletion, it returns when no replica of any service accepts the token any more. Does
 * nothing for a deleted or unknown client.
 * @throws ApiError FORMAT_ERROR; RATE_LIMITED when the client has too many; UNAVAILABLE when it is unknown whether it was stored.
 */
export async function revokeToken(
  deps: { db: Db; hub: { wake(): void }; revokedTokens: number; logger: Logger },
  options: { clientId: string; tokenId: string; expiresAt: bigint; now: Date; signal: AbortSignal },
): Promise<void> {
  const { db, hub, revokedTokens: most, logger } = deps;
  const { now, signal } = options;
  const asked = revocation.safeParse(options);
  if (!asked.success) throw new ApiError('FORMAT_ERROR', TEXTS('token-unnamed'));
  const { clientId, tokenId: id, expiresAt } = asked.data;
  const revision = await storeRevocation(db, { clientId, token: { id, expiresAt }, most, now });
  if (revision === undefined) return;
  hub.wake();
  const started = performance.now();
  const { acknowledged } = await awaitPropagation({ db, revision, limitMs: LAST_LEASE_MS, signal });
  const milliseconds = Math.round(performance.now() - started);
  logger.info({ clientId, revision: String(revision), acknowledged, milliseconds }, 'token revoked');
}
