import type { openPool } from '@kontoport/database';

/** Minor units. */
export interface Held {
  balance: number;
  reserved: number;
}

/** Balance and reserved amount of an account. */
export async function heldBy(pool: ReturnType<typeof openPool>, accountId: string): Promise<Held> {
  const { rows } = await pool.query<{ balance: string; reserved: string }>(
    'SELECT balance, reserved FROM account WHERE id = $1',
    [accountId],
  );
  return { balance: Number(rows[0]!.balance), reserved: Number(rows[0]!.reserved) };
}

/** Returns the change of both amounts during `work`. */
export async function movedBy(
  pool: ReturnType<typeof openPool>,
  accountId: string,
  work: () => Promise<unknown>,
): Promise<Held> {
  const before = await heldBy(pool, accountId);
  await work();
  const after = await heldBy(pool, accountId);
  return { balance: after.balance - before.balance, reserved: after.reserved - before.reserved };
}
