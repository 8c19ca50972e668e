import type { Tx } from '@kontoport/database';

/**
 * Takes one registration from the allowance of an organization; exact for all replicas, for the row is locked by each.
 * Plain SQL: one statement decides and writes, by the clock of the database.
 * @param pace see `paceOf`
 * @returns milliseconds until there is one again; undefined when there was one
 */
export async function spendRegistration(
  tx: Tx,
  organizationIdentifier: string,
  { stepMs, aheadMs }: { stepMs: number; aheadMs: number },
): Promise<number | undefined> {
  const { rowCount } = await tx.query(
    `INSERT INTO registration_rate AS rate (organization_identifier, full_at)
     VALUES ($1, now() + $2::float8 * interval '1 millisecond')
     ON CONFLICT (organization_identifier) DO UPDATE
       SET full_at = greatest(rate.full_at, now()) + $2::float8 * interval '1 millisecond'
       WHERE rate.full_at <= now() + $3::float8 * interval '1 millisecond'`,
    [organizationIdentifier, stepMs, aheadMs],
  );
  if (rowCount !== 0) return undefined;
  const { rows } = await tx.query<{ waitMs: number }>(
    `SELECT (extract(epoch FROM full_at - now()) * 1000 - $2)::float8 AS "waitMs"
     FROM registration_rate WHERE organization_identifier = $1`,
    [organizationIdentifier, aheadMs],
  );
  // Its row may have gone in between: then all of it is there.
  return Math.max(0, rows[0]?.waitMs ?? 0);
}

/** Forgets at most `limit` organizations whose allowance is whole again. @returns how many there were */
export async function forgetRates(tx: Tx, limit: number): Promise<number> {
  const { rowCount } = await tx.query(
    `DELETE FROM registration_rate WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM registration_rate WHERE full_at < now()
       ORDER BY full_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [limit],
  );
  return rowCount ?? 0;
}
