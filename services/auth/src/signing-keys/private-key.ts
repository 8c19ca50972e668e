import { ConfigError } from '@kontoport/config';
import { seal, type SealingKeys, unseal } from '@kontoport/database';
import type { JWK } from 'jose';
import type { StoredKey } from './signing-key.model.ts';

/** Seals a private JWK for the row of its key and no other. @param secretsKeys the first of them seals */
export function sealPrivateKey(privateJwk: JWK, kid: string, secretsKeys: SealingKeys): Buffer<ArrayBuffer> {
  return seal(secretsKeys, JSON.stringify(privateJwk), privateKeyContext(kid));
}

/** Opens what `sealPrivateKey` made. @throws ConfigError when none of the keys opens it. */
export function openPrivateKey(key: StoredKey, secretsKeys: SealingKeys): JWK {
  return JSON.parse(unsealed(key, secretsKeys).toString()) as JWK;
}

function unsealed(key: StoredKey, secretsKeys: SealingKeys): Buffer {
  try {
    return unseal(secretsKeys, key.sealedPrivateJwk, privateKeyContext(key.kid));
  } catch {
    throw closed('the signing keys');
  }
}

/** Where a private key belongs. */
export function privateKeyContext(kid: string): string {
  return `signing-key/${kid}`;
}

/** Says which variable must change. */
export function closed(what: string): ConfigError {
  return new ConfigError([
    `SECRETS_KEY: does not open ${what} in the database; list the one that seals them, too, until all is re-sealed`,
  ]);
}
