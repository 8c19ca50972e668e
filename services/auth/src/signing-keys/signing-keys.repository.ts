// SQL, because a lock holds a rotation together (ADR 15); and so that a start needs nothing but the driver (ADR 64).
import { inTransaction, type Tx } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import type { RotationPlan } from './rotation.model.ts';
import type { StoredKey } from './signing-key.model.ts';

/** Any number that nothing else in this database locks. */
const ROTATION_LOCK = 7_401;

/** Runs `work` in one transaction while no other replica rotates. */
export function whileOnlyRotator<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [ROTATION_LOCK]);
    return work(tx);
  });
}

/** All keys, oldest first. */
export async function findKeys(tx: Tx): Promise<StoredKey[]> {
  const { rows } = await tx.query<Omit<StoredKey, 'retireAt'> & { retireAt: Date | null }>(
    `SELECT kid, public_jwk AS "publicJwk", sealed_private_jwk AS "sealedPrivateJwk", created_at AS "createdAt",
       active_from AS "activeFrom", retire_at AS "retireAt"
     FROM signing_key ORDER BY active_from`,
  );
  return rows.map(({ retireAt, ...key }) => ({ ...key, retireAt: retireAt ?? undefined }));
}

/** Writes what a rotation changes; `created` are the keys made for `plan.create`. */
export async function applyRotation(
  tx: Tx,
  { plan, created }: { plan: RotationPlan; created: readonly StoredKey[] },
): Promise<void> {
  await tx.query('DELETE FROM signing_key WHERE kid = ANY ($1::text[])', [plan.remove]);
  for (const { kid, retireAt } of plan.retire)
    await tx.query('UPDATE signing_key SET retire_at = $2 WHERE kid = $1', [kid, retireAt]);
  for (const { kid, publicJwk, sealedPrivateJwk, createdAt, activeFrom, retireAt } of created)
    await tx.query(
      `INSERT INTO signing_key (kid, public_jwk, sealed_private_jwk, created_at, active_from, retire_at)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [kid, JSON.stringify(publicJwk), sealedPrivateJwk, createdAt, activeFrom, retireAt],
    );
}

/** The one root. */
const ROOT_ID = 1;

/** The root of the keys of authorizations, as it is sealed. */
export async function findSealedRoot(tx: Tx): Promise<Uint8Array | undefined> {
  const { rows } = await tx.query<{ sealed: Buffer }>('SELECT sealed FROM root_key WHERE id = $1', [ROOT_ID]);
  return rows[0]?.sealed;
}

/** Stores the root, where there is none. */
export async function insertSealedRoot(tx: Tx, sealed: Uint8Array): Promise<void> {
  await tx.query('INSERT INTO root_key (id, sealed) VALUES ($1, $2)', [ROOT_ID, sealed]);
}
