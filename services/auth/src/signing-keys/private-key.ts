import { ConfigError } from '@kontoport/config';
import { seal, type SealingKeys, unseal } from '@kontoport/database';
import type { JWK } from 'jose';
import type { StoredKey } from './signing-key.model.ts';

/** Seals a private JWK, bound to the row of its key. @param secretsKeys the first of them seals */
export function sealPrivateKey(privateJwk: JWK, kid: string, secretsKeys: SealingKeys): Buffer<ArrayBuffer> {
  return seal(secretsKeys, JSON.stringify(privateJwk), privateKeyContext(kid));
}

/** Opens a sealed private JWK. @throws ConfigError when none of the keys opens it */
export function openPrivateKey(key: StoredKey, secretsKeys: SealingKeys): JWK {
  return JSON.parse(unsealed(key, secretsKeys).toString()) as JWK;
}

function unsealed(key: StoredKey, secretsKeys: SealingKeys): Buffer {
  try {
    return unseal(secretsKeys, key.sealedPrivateJwk, privateKeyContext(key.kid));
  } catch {
    throw cannotOpen('the signing keys');
  }
}

/** Returns the context that binds a private key to its row. */
export function privateKeyContext(kid: string): string {
  return `signing-key/${kid}`;
}

/** Reports that SECRETS_KEY cannot open `what`. */
export function cannotOpen(what: string): ConfigError {
  return new ConfigError([
    `SECRETS_KEY: does not open ${what} in the database; also list the key that sealed it, until everything is re-sealed`,
  ]);
}
