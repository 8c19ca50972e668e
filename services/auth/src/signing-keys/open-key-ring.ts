import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import type { SealingKeys } from '@kontoport/database';
import { ApiError, toApiError } from '@kontoport/errors';
import { describeError, type Logger, Loop } from '@kontoport/lifecycle';
import { type AuthorizationKeys, authorizationKeys } from '../domain/authorization-keys.model.ts';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import { openPrivateKey } from './private-key.ts';
import { findRootKey } from './root-key.ts';
import { rotateKeys } from './rotate-keys.ts';
import { publishedKeys, RELOAD_MS, signingKey } from './rotation.model.ts';
import type { PublicJwk, Signer, StoredKey } from './signing-key.model.ts';

/** The signing keys in memory, reloaded from the database. */
export interface KeyRing {
  /** Rotates and reloads the keys every minute. */
  readonly rotation: Loop;
  /** Returns the key that signs at `now`. @throws ApiError UNAVAILABLE when it is unknown */
  signer(now: Date): Signer;
  /** Returns the keys that verifiers must know at `now`. @throws ApiError UNAVAILABLE before the first load */
  published(now: Date): PublicJwk[];
  /** Returns the reason for which no token can be signed at `now`, for `/readyz`. */
  readiness(now: Date): string | undefined;
  /** @throws ApiError UNAVAILABLE before the first load */
  readonly authorizationKeys: AuthorizationKeys;
}

const RETRY_MS = 1_000;

/**
 * Opens the key ring, and creates the keys of an empty database. Without its database, or without a migration, it stays empty until
 * `rotation` succeeds.
 * @throws ConfigError when SECRETS_KEY does not open the stored keys
 */
export async function openKeyRing(options: {
  db: Db;
  secretsKeys: SealingKeys;
  rotationMs: number;
  logger: Logger;
}): Promise<KeyRing> {
  const { db, secretsKeys, rotationMs, logger } = options;
  const signers = new Map<string, Signer>();
  let authorizations: AuthorizationKeys | undefined;
  let known: { keys: readonly StoredKey[]; readAt: Date } = { keys: [], readAt: new Date(0) };

  const reload = async (): Promise<void> => {
    const now = new Date();
    authorizations ??= authorizationKeys(await findRootKey(db, secretsKeys));
    const keys = await rotateKeys(db, { now, rotationMs, secretsKeys });
    for (const key of keys) if (!signers.has(key.kid)) signers.set(key.kid, signerOf(key, secretsKeys));
    for (const kid of signers.keys()) if (!keys.some((key) => key.kid === kid)) signers.delete(kid);
    const added = keys.filter(({ kid }) => !known.keys.some((key) => key.kid === kid));
    if (added.length > 0) logger.info({ kids: added.map(({ kid }) => kid) }, 'signing keys read');
    known = { keys, readAt: now };
  };

  const find = (now: Date): StoredKey | undefined => signingKey(known.keys, { now, readAt: known.readAt });

  const unready = await db.readiness();
  if (unready !== undefined) logger.warn({ error: unready }, 'signing keys cannot be read');
  else
    await reload().catch((error: unknown) => {
      if (toApiError(error).code !== 'UNAVAILABLE') throw error;
      logger.warn({ error: describeError(error) }, 'signing keys cannot be read');
    });
  const rotation = new Loop({
    name: 'signing keys',
    everyMs: RELOAD_MS,
    retryMs: { first: RETRY_MS, longest: RETRY_MS },
    work: reload,
    logger,
  });

  return {
    rotation,
    signer(now) {
      const key = find(now);
      const signer = key && signers.get(key.kid);
      if (!signer) throw unavailable();
      return signer;
    },
    published(now) {
      const keys = publishedKeys(known.keys, now);
      if (keys.length === 0) throw unavailable();
      return keys.map(({ publicJwk }) => publicJwk);
    },
    readiness: (now) => (find(now) ? undefined : 'the signing keys have not been read'),
    get authorizationKeys() {
      if (!authorizations) throw unavailable();
      return authorizations;
    },
  };
}

function signerOf(key: StoredKey, secretsKeys: SealingKeys): Signer {
  const jwk = openPrivateKey(key, secretsKeys) as JsonWebKey;
  return { kid: key.kid, privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) };
}

function unavailable(): ApiError {
  return new ApiError('UNAVAILABLE', TEXTS('keys-unknown'));
}
