import { isUnavailable } from '@kontoport/errors';
import type pg from 'pg';

/** The connection that runs SQL: a transaction's, or a `Db` or pool for a single statement. */
export type Tx = Pick<pg.Pool, 'query'>;

/** SQL with its parameters; PostgreSQL plans one with a name once per connection. */
export type Statement = pg.QueryConfig;

/**
 * Runs `work` in a transaction (READ COMMITTED). Commits when it resolves, rolls back when it rejects.
 * @throws the error of `work` or the database; `isUnavailable` recognizes those that a retry may cure
 */
export async function inTransaction<T>(
  db: pg.Pool | { pool: pg.Pool },
  work: (tx: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await ('pool' in db ? db.pool : db).connect();
  let isBroken = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that is lost or silent does not answer a rollback either; the server rolls back when it is closed.
    isBroken = (isUnavailable(error) && !isConflict(error)) || isOutdated(error);
    if (!isBroken) await client.query('ROLLBACK').catch(() => (isBroken = true));
    throw error;
  } finally {
    client.release(isBroken);
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

/** Class 40 of SQLSTATE: others were first, and the connection is sound. */
const isConflict = (error: unknown): boolean => /^40...$/.test(String(codeOf(error)));

/**
 * A migration has changed the type of a column that a prepared statement reads. The connection refuses that statement from
 * then on; a new connection prepares it anew.
 */
const isOutdated = (error: unknown): boolean => codeOf(error) === '0A000';
