import { inTransaction, type Tx } from '@kontoport/database';
import { nextRevision } from '../directory/directory.repository.ts';
import type { RevokedToken } from '../directory/known-client.model.ts';
import { storedRevokedTokens, toRevokedToken, withRevokedToken } from '../directory/revoked-tokens.model.ts';
import type { Db } from '../gen/db.ts';

/**
 * Adds a token to the revoked ones of a live client; one that is among them stays.
 * Plain SQL: the client's row is locked, as by every other change of it.
 * @returns the revision of the change, or of a later one; undefined when there is no such client
 * @throws ApiError RATE_LIMITED when the client has as many revoked tokens as it may have
 */
export function storeRevocation(
  db: Db,
  options: { clientId: string; token: RevokedToken; most: number; now: Date },
): Promise<bigint | undefined> {
  const { clientId, token, most, now } = options;
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ revision: string; words: string | null }>(
      'SELECT revision, revoked_tokens AS words FROM client WHERE id = $1 AND deleted_at IS NULL FOR UPDATE',
      [clientId],
    );
    const [found] = rows;
    if (!found) return undefined;
    const before = found.words?.split(' ').map(toRevokedToken) ?? [];
    const after = withRevokedToken(before, { added: token, most, now });
    if (after === undefined) return BigInt(found.revision);
    const { words, until } = storedRevokedTokens(after);
    const revision = await nextRevision(tx);
    await tx.query('UPDATE client SET revoked_tokens = $2, revoked_until = $3, revision = $4 WHERE id = $1', [
      clientId,
      words,
      until,
      revision,
    ]);
    return revision;
  });
}

/**
 * Forgets the revoked tokens of clients all of whose have ended before `before`. That is no change: whoever knows them
 * refuses what has ended anyway.
 * @returns of how many clients, at most `limit`
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
