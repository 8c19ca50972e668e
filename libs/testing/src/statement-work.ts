import type { Tx } from '@kontoport/database';
import type pg from 'pg';

/** Rows that `work` reads from tables over this connection; what it writes is rolled back. */
export async function rowsRead(
  connection: pg.PoolClient,
  work: (tx: Tx) => Promise<unknown>,
): Promise<number> {
  await connection.query('BEGIN');
  try {
    const before = await rowsReadSoFar(connection);
    await work(connection);
    return (await rowsReadSoFar(connection)) - before;
  } finally {
    await connection.query('ROLLBACK');
  }
}

async function rowsReadSoFar(connection: pg.PoolClient): Promise<number> {
  const { rows } = await connection.query<{ count: string }>(
    'SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) AS count FROM pg_stat_xact_user_tables',
  );
  return Number(rows[0]!.count);
}
