import { randomBytes } from 'node:crypto';
import { openerOf, seal, type SealingKeys, unseal } from '@kontoport/database';
import type { Db, PrismaTx } from '../gen/db.ts';
import { cannotOpen, privateKeyContext } from './private-key.ts';
import { findKeys, findSealedRoot, insertSealedRoot, withRotationLock } from './signing-keys.repository.ts';

const BYTES = 32;
/** Binds the sealed root to its row. */
export const ROOT_CONTEXT = 'root-key';

/**
 * Finds or creates the secret from which the keys of authorizations are derived. It outlives every SECRETS_KEY, because user
 * ids and refresh tokens are valid for half a year and more. Concurrent replicas agree on one.
 * @returns 32 bytes
 * @throws ConfigError when none of the keys opens it
 */
export function findRootKey(db: Db, secretsKeys: SealingKeys): Promise<Uint8Array> {
  return withRotationLock(db, async (tx) => {
    const stored = await findSealedRoot(tx);
    if (stored) return opened(stored, secretsKeys);
    const root = (await rootBefore(tx, secretsKeys)) ?? randomBytes(BYTES);
    await insertSealedRoot(tx, seal(secretsKeys, root, ROOT_CONTEXT));
    return root;
  });
}

/** A database with signing keys but without root is of a version that derived the keys from SECRETS_KEY itself. */
async function rootBefore(tx: PrismaTx, secretsKeys: SealingKeys): Promise<Uint8Array | undefined> {
  const [oldest] = await findKeys(tx);
  if (oldest === undefined) return undefined;
  const at = openerOf(secretsKeys, oldest.sealedPrivateJwk, privateKeyContext(oldest.kid));
  if (at === undefined) throw cannotOpen('the signing keys');
  return secretsKeys[at];
}

function opened(sealed: Uint8Array, secretsKeys: SealingKeys): Uint8Array {
  if (openerOf(secretsKeys, sealed, ROOT_CONTEXT) === undefined) throw cannotOpen('the root key');
  return unseal(secretsKeys, sealed, ROOT_CONTEXT);
}
