import type { Tx } from '@kontoport/database';
import { lockLiveClient } from '../clients/client.repository.ts';
import { nextRevision } from '../directory/directory.repository.ts';
import type { RevokedToken } from '../directory/known-client.model.ts';
import { storedRevokedTokens, toRevokedToken, withRevokedToken } from '../directory/revoked-tokens.model.ts';
import type { Db } from '../gen/db.ts';

/**
 * Adds a token to the revoked ones of a live client. A token that is among them stays.
 * @returns the revision of the change, or of a later one; undefined for an unknown or deleted client
 * @throws ApiError RATE_LIMITED at the client's limit of revoked tokens
 */
export function storeRevocation(
  db: Db,
  options: { clientId: string; token: RevokedToken; most: number; now: Date },
): Promise<bigint | undefined> {
  const { clientId, token, most, now } = options;
  return db.prisma.$transaction(async (tx) => {
    const found = await lockLiveClient(tx, clientId);
    if (found === undefined) return undefined;
    const before = found.revokedTokens?.split(' ').map(toRevokedToken) ?? [];
    const after = withRevokedToken(before, { added: token, most, now });
    if (after === undefined) return found.revision;
    const { words: revokedTokens, until: revokedUntil } = storedRevokedTokens(after);
    const revision = await nextRevision(tx);
    const data = { revokedTokens, revokedUntil, revision };
    await tx.client.update({ where: { id: clientId }, data, select: { id: true } });
    return revision;
  });
}

/**
 * Deletes the revoked tokens of clients when all of them have ended before `before`. That is no change: services refuse an
 * ended token in any case. SQL: a batch.
 * @returns the number of these clients, at most `limit`
 */
export async function forgetRevokedTokens(
  tx: Tx,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query(
    `UPDATE client SET revoked_tokens = NULL, revoked_until = NULL WHERE id = ANY (ARRAY(
       SELECT id FROM client WHERE revoked_until < $1 ORDER BY revoked_until LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    [before, limit],
  );
  return rowCount ?? 0;
}
