import { isUnavailable } from '@kontoport/errors';
import type pg from 'pg';
import { together } from './together.ts';

/** Where SQL runs: a transaction's connection, or a `Db` or pool for a single statement. */
export type Tx = Pick<pg.Pool, 'query'>;

/** SQL with its parameters; one with a name is planned once per connection. */
export type Statement = pg.QueryConfig;

/** Sends the last statement of a transaction and the commit in one go; resolves when both are done. Nothing may follow. */
export type Finish = (statement: Statement) => Promise<void>;

type Work<T> = (tx: pg.PoolClient, finish: Finish) => Promise<T>;

/**
 * Runs `work` in one transaction (READ COMMITTED): committed when it resolves, rolled back when it rejects. What it
 * has finished is committed.
 * @throws whatever `work` or the database throws; see `isUnavailable` for what is worth a retry.
 */
export function inTransaction<T>(db: pg.Pool | { pool: pg.Pool }, work: Work<T>): Promise<T> {
  return run(db, async (client, finish) => {
    await client.query('BEGIN');
    return work(client, finish);
  });
}

/** One, or several. */
type First = Statement | readonly [...Statement[], Statement];

const BEGIN: Statement = { name: 'begin', text: 'BEGIN' };
const COMMIT: Statement = { name: 'commit', text: 'COMMIT' };

/**
 * The same for a transaction whose first statements are known before it: they are sent with the beginning, which saves
 * round trips.
 * @param first or what makes them, called when there is a connection; `work` gets the rows of the last
 */
export function inTransactionFrom<Row extends pg.QueryResultRow, T>(
  db: pg.Pool | { pool: pg.Pool },
  first: First | (() => First),
  work: (rows: Row[], ...args: Parameters<Work<T>>) => Promise<T>,
): Promise<T> {
  return run(db, async (client, finish) => {
    const statements = [typeof first === 'function' ? first() : first].flat() as Statement[];
    const results = await together(client, [BEGIN, ...statements]);
    return work(results.at(-1)!.rows as Row[], client, finish);
  });
}

/**
 * A statement was prepared before a migration changed the type of one of its columns: the connection would refuse it as long as it
 * lives, and the next one prepares it anew.
 */
const isOutdated = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '0A000';

/** @param work begins the transaction, too */
async function run<T>(db: pg.Pool | { pool: pg.Pool }, work: Work<T>): Promise<T> {
  const client = await ('pool' in db ? db.pool : db).connect();
  let broken = false;
  let finished = false;
  const finish: Finish = async (statement) => {
    await together(client, [statement, COMMIT]);
    finished = true;
  };
  try {
    const result = await work(client, finish);
    if (!finished) await client.query('COMMIT');
    return result;
  } catch (error) {
    // A connection that is lost or silent would not answer a rollback either; the server rolls back when it is closed.
    broken = isUnavailable(error) || isOutdated(error);
    if (!broken) await client.query('ROLLBACK').catch(() => (broken = true));
    throw error;
  } finally {
    client.release(broken);
  }
}
