import type { Db } from '../gen/db.ts';
import type { PrismaClient } from '../gen/prisma/client.ts';
import type { RotationPlan } from './rotation.model.ts';
import type { PublicJwk, StoredKey } from './signing-key.model.ts';

/** The tables of keys, as one transaction sees them. */
export type KeyTables = Pick<PrismaClient, 'signingKey' | 'rootKey'>;

/** Any number that nothing else in this database locks. */
const ROTATION_LOCK = 7_401n;

/** Runs `work` in one transaction while no other replica rotates. */
export function whileOnlyRotator<T>({ prisma }: Db, work: (tx: KeyTables) => Promise<T>): Promise<T> {
  return prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ROTATION_LOCK})`;
    return work(tx);
  });
}

/** All keys, oldest first. */
export async function findKeys(tx: KeyTables): Promise<StoredKey[]> {
  const rows = await tx.signingKey.findMany({ orderBy: { activeFrom: 'asc' } });
  return rows.map(({ publicJwk, retireAt, ...row }) => ({
    ...row,
    publicJwk: publicJwk as unknown as PublicJwk,
    retireAt: retireAt ?? undefined,
  }));
}

/** Writes what a rotation changes; `created` are the keys made for `plan.create`. */
export async function applyRotation(
  tx: KeyTables,
  { plan, created }: { plan: RotationPlan; created: readonly StoredKey[] },
): Promise<void> {
  await tx.signingKey.deleteMany({ where: { kid: { in: plan.remove } } });
  for (const { kid, retireAt } of plan.retire)
    await tx.signingKey.update({ where: { kid }, data: { retireAt } });
  for (const { publicJwk, sealedPrivateJwk, retireAt, ...key } of created)
    await tx.signingKey.create({
      data: {
        ...key,
        publicJwk: { ...publicJwk },
        sealedPrivateJwk: new Uint8Array(sealedPrivateJwk),
        retireAt: retireAt ?? null,
      },
    });
}
