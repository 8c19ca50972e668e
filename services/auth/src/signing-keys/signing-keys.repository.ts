import type { Db, PrismaTx } from '../gen/db.ts';
import type { RotationPlan } from './rotation.model.ts';
import type { PublicJwk, StoredKey } from './signing-key.model.ts';

/** A number that no other advisory lock in this database uses. */
const ROTATION_LOCK = 7_401;

/** Runs `work` in a transaction while no other replica rotates. SQL: a lock. */
export function withRotationLock<T>(db: Db, work: (tx: PrismaTx) => Promise<T>): Promise<T> {
  return db.prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ROTATION_LOCK}::bigint)`;
    return work(tx);
  });
}

/** Finds all keys, oldest first. */
export async function findKeys(tx: PrismaTx): Promise<StoredKey[]> {
  const rows = await tx.signingKey.findMany({ orderBy: { activeFrom: 'asc' } });
  return rows.map(({ retireAt, publicJwk, ...key }) => ({
    ...key,
    publicJwk: publicJwk as unknown as PublicJwk,
    retireAt: retireAt ?? undefined,
  }));
}

/** Writes a rotation; `created` are the keys for `plan.create`. */
export async function applyRotation(
  tx: PrismaTx,
  { plan, created }: { plan: RotationPlan; created: readonly StoredKey[] },
): Promise<void> {
  await tx.signingKey.deleteMany({ where: { kid: { in: [...plan.remove] } } });
  for (const { kid, retireAt } of plan.retire)
    await tx.signingKey.update({ where: { kid }, data: { retireAt } });
  await tx.signingKey.createMany({
    data: created.map(({ retireAt = null, publicJwk, ...key }) => ({
      ...key,
      publicJwk: { ...publicJwk },
      retireAt,
    })),
  });
}

/** The only root. */
const ROOT_ID = 1;

/** Finds the sealed root. */
export async function findSealedRoot(tx: PrismaTx): Promise<Uint8Array | undefined> {
  return (await tx.rootKey.findUnique({ where: { id: ROOT_ID } }))?.sealed;
}

/** Stores the root. */
export async function insertSealedRoot(tx: PrismaTx, sealed: Uint8Array<ArrayBuffer>): Promise<void> {
  await tx.rootKey.create({ data: { id: ROOT_ID, sealed } });
}
