import { isUnavailable } from '@kontoport/errors';
import type pg from 'pg';

/** Where SQL runs: a transaction's connection, or a `Db` or pool for a single statement. */
export type Tx = Pick<pg.Pool, 'query'>;

/**
 * Runs `work` in one transaction (READ COMMITTED): committed when it resolves, rolled back when it rejects.
 * @throws whatever `work` or the database throws; see `isUnavailable` for what is worth a retry.
 */
export async function inTransaction<T>(
  db: pg.Pool | { pool: pg.Pool },
  work: (tx: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await ('pool' in db ? db.pool : db).connect();
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that is lost or silent would not answer a rollback either; the server rolls back when it is closed.
    broken = isUnavailable(error);
    if (!broken) await client.query('ROLLBACK').catch(() => (broken = true));
    throw error;
  } finally {
    client.release(broken);
  }
}
