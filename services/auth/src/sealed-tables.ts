import type { SealedTable, Tx } from '@kontoport/database';
import { privateKeyContext } from './signing-keys/private-key.ts';
import { ROOT_CONTEXT } from './signing-keys/root-key.ts';

/** SQL: keyset pages, and updates that compare the old value. */
const signingKeys: SealedTable = {
  name: 'signing keys',
  async read(tx, after, limit) {
    const { rows } = await tx.query<{ kid: string; sealed: Buffer }>(
      `SELECT kid, sealed_private_jwk AS sealed FROM signing_key
       WHERE kid > $1 ORDER BY kid LIMIT $2`,
      [after?.[0] ?? '', limit],
    );
    return rows.map(({ kid, sealed }) => ({
      key: [kid],
      sealed: [{ value: sealed, context: privateKeyContext(kid) }],
      replace: (now: Tx, [value]: readonly Buffer[]) =>
        isOne(
          now,
          'UPDATE signing_key SET sealed_private_jwk = $1 WHERE kid = $2 AND sealed_private_jwk = $3',
          [value, kid, sealed],
        ),
    }));
  },
};

/** SQL: as for signing keys. */
const rootKeys: SealedTable = {
  name: 'root keys',
  async read(tx, after, limit) {
    const { rows } = await tx.query<{ id: number; sealed: Buffer }>(
      'SELECT id, sealed FROM root_key WHERE id > $1 ORDER BY id LIMIT $2',
      [after?.[0] ?? 0, limit],
    );
    return rows.map(({ id, sealed }) => ({
      key: [String(id)],
      sealed: [{ value: sealed, context: ROOT_CONTEXT }],
      replace: (now: Tx, [value]: readonly Buffer[]) =>
        isOne(now, 'UPDATE root_key SET sealed = $1 WHERE id = $2 AND sealed = $3', [value, id, sealed]),
    }));
  },
};

/** All values that SECRETS_KEY seals in the database of auth. */
export const SEALED_TABLES: readonly SealedTable[] = [signingKeys, rootKeys];

/** Runs an update that must find the value unchanged (one statement). @returns whether it did */
async function isOne(tx: Tx, text: string, values: readonly unknown[]): Promise<boolean> {
  return (await tx.query(text, [...values])).rowCount === 1;
}
