import { randomBytes } from 'node:crypto';
import { openerOf, seal, type SealingKeys, unseal } from '@kontoport/database';
import type { Db, PrismaTx } from '../gen/db.ts';
import { closed, privateKeyContext } from './private-key.ts';
import { findKeys, findSealedRoot, insertSealedRoot, whileOnlyRotator } from './signing-keys.repository.ts';

const BYTES = 32;
/** Where the root belongs. */
export const ROOT_CONTEXT = 'root-key';

/**
 * The secret from which the keys of authorizations follow, made when there is none. It outlives every SECRETS_KEY: what users
 * are called, and refresh tokens, are good for half a year and more. Replicas that ask at once agree on one.
 * @returns 32 bytes
 * @throws ConfigError when none of the keys opens it.
 */
export function findRootKey(db: Db, secretsKeys: SealingKeys): Promise<Uint8Array> {
  return whileOnlyRotator(db, async (tx) => {
    const stored = await findSealedRoot(tx);
    if (stored) return opened(stored, secretsKeys);
    const root = (await rootBefore(tx, secretsKeys)) ?? randomBytes(BYTES);
    await insertSealedRoot(tx, seal(secretsKeys, root, ROOT_CONTEXT));
    return root;
  });
}

/** A database with signing keys and no root has given out what followed from the SECRETS_KEY that they are sealed with. */
async function rootBefore(tx: PrismaTx, secretsKeys: SealingKeys): Promise<Uint8Array | undefined> {
  const [oldest] = await findKeys(tx);
  if (oldest === undefined) return undefined;
  const at = openerOf(secretsKeys, oldest.sealedPrivateJwk, privateKeyContext(oldest.kid));
  if (at === undefined) throw closed('the signing keys');
  return secretsKeys[at];
}

function opened(sealed: Uint8Array, secretsKeys: SealingKeys): Uint8Array {
  if (openerOf(secretsKeys, sealed, ROOT_CONTEXT) === undefined) throw closed('the root key');
  return unseal(secretsKeys, sealed, ROOT_CONTEXT);
}
