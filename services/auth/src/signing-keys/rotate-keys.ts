import type { SealingKeys } from '@kontoport/database';
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import type { Db } from '../gen/db.ts';
import { openPrivateKey, sealPrivateKey } from './private-key.ts';
import { planRotation, retirementFor } from './rotation.model.ts';
import type { PublicJwk, StoredKey } from './signing-key.model.ts';
import { applyRotation, findKeys, withRotationLock } from './signing-keys.repository.ts';

/**
 * Rotates the keys as `now` requires, and reads them. Concurrent replicas agree on one set.
 * @param options.secretsKeys the first seals private keys, any opens them
 * @returns all keys, oldest first
 * @throws ConfigError when a change is due and `secretsKeys` do not open the keys
 */
export function rotateKeys(
  db: Db,
  options: { now: Date; rotationMs: number; secretsKeys: SealingKeys },
): Promise<StoredKey[]> {
  return withRotationLock(db, async (tx) => {
    const keys = await findKeys(tx);
    const plan = planRotation(keys, options);
    if (plan.create.length + plan.retire.length + plan.remove.length === 0) return keys;
    // A replica that cannot open the present keys must not add a key that the others cannot open.
    for (const key of keys) openPrivateKey(key, options.secretsKeys);
    const created = await Promise.all(
      plan.create.map((activeFrom, index) => {
        const successor = plan.create[index + 1];
        return makeKey({
          secretsKeys: options.secretsKeys,
          createdAt: options.now,
          activeFrom,
          retireAt: successor && retirementFor(successor),
        });
      }),
    );
    await applyRotation(tx, { plan, created });
    return findKeys(tx);
  });
}

async function makeKey(options: {
  secretsKeys: SealingKeys;
  createdAt: Date;
  activeFrom: Date;
  retireAt: Date | undefined;
}): Promise<StoredKey> {
  const { secretsKeys, ...schedule } = options;
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { x, y } = await exportJWK(publicKey);
  const members = { kty: 'EC', crv: 'P-256', x: x!, y: y! } as const;
  const kid = await calculateJwkThumbprint(members);
  const publicJwk: PublicJwk = { ...members, kid, alg: 'ES256', use: 'sig' };
  const sealedPrivateJwk = sealPrivateKey(await exportJWK(privateKey), kid, secretsKeys);
  return { ...schedule, kid, publicJwk, sealedPrivateJwk };
}
