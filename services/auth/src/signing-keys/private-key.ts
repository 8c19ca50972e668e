import { seal, unseal } from '@kontoport/database';
import { ConfigError } from '@kontoport/runtime';
import type { JWK } from 'jose';
import type { StoredKey } from './signing-key.model.ts';

/** Seals a private JWK for the row of its key and no other. @param secretsKey 32 bytes */
export function sealPrivateKey(privateJwk: JWK, kid: string, secretsKey: Uint8Array): Buffer {
  return seal(secretsKey, JSON.stringify(privateJwk), context(kid));
}

/** Opens what `sealPrivateKey` made. @throws ConfigError when `secretsKey` is another one. */
export function openPrivateKey(key: StoredKey, secretsKey: Uint8Array): JWK {
  return JSON.parse(unsealed(key, secretsKey).toString()) as JWK;
}

function unsealed(key: StoredKey, secretsKey: Uint8Array): Buffer {
  try {
    return unseal(secretsKey, key.sealedPrivateJwk, context(key.kid));
  } catch {
    throw new ConfigError([
      'SECRETS_KEY: does not open the signing keys in the database; set the one they were made with',
    ]);
  }
}

function context(kid: string): string {
  return `signing-key/${kid}`;
}
