import { type Db, openDb, type PrismaAdapter, type Tx } from '@kontoport/database';
import type pg from 'pg';
import { openTestPool, testDatabase } from './postgres.ts';

/**
 * Rows that `work` reads from tables over this connection; what it writes is rolled back.
 * @param connection one alone: a pool of several would answer on another
 */
export async function rowsRead(connection: Tx, work: (tx: Tx) => Promise<unknown>): Promise<number> {
  await connection.query('BEGIN');
  try {
    const before = await rowsReadSoFar(connection);
    await work(connection);
    return (await rowsReadSoFar(connection)) - before;
  } finally {
    await connection.query('ROLLBACK');
  }
}

/**
 * A handle whose every statement, of Prisma and of SQL, runs over the connection given last: transactions of its own are
 * savepoints in the one that is rolled back.
 * @param prisma `createPrisma` of the service
 * @returns makes work for `rowsRead` of a function that takes the handle
 */
export function withinOne<Prisma>(
  prisma: (adapter: PrismaAdapter) => Prisma,
): (run: (db: Db<Prisma>) => Promise<unknown>) => (tx: Tx) => Promise<unknown> {
  let now: Tx;
  const query = async (statement: string | pg.QueryConfig, values?: unknown[]): Promise<unknown> => {
    const savepoint = SAVEPOINTS[typeof statement === 'string' ? statement : statement.text];
    if (savepoint !== undefined) return now.query(savepoint);
    if (typeof statement === 'string' || statement.name !== undefined)
      return now.query(statement as string, values);
    // Prisma gives its statements no names: PostgreSQL plans each of them for its values, whatever plans are kept.
    const { rows } = await now.query<{ mode: string }>("SELECT current_setting('plan_cache_mode') AS mode");
    await now.query('SET LOCAL plan_cache_mode = force_custom_plan');
    const result = await now.query(statement);
    await now.query(`SET LOCAL plan_cache_mode = ${rows[0]!.mode}`);
    return result;
  };
  const connection = { query, release: () => {}, on: () => {}, removeListener: () => {} };
  const db = openDb({ url: 'postgres://nowhere', applicationName: 'plans', prisma });
  Object.assign(db.pool, { query, connect: async () => connection });
  Object.assign(db, { query });
  return (run) => (tx) => {
    now = tx;
    return run(db);
  };
}

const SAVEPOINTS: Record<string, string> = {
  BEGIN: 'SAVEPOINT own_work',
  COMMIT: 'RELEASE own_work',
  ROLLBACK: 'ROLLBACK TO own_work',
};

/** Rows that this connection has read from tables; only differences within one transaction mean something. */
export async function rowsReadSoFar(connection: Tx): Promise<number> {
  const { rows } = await connection.query<{ count: string }>(
    'SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) AS count FROM pg_stat_xact_user_tables',
  );
  return Number(rows[0]!.count);
}

/** A database of its own on which the same statements are planned in two ways. */
export interface Planning {
  url: string;
  pool: pg.Pool;
  /** The first plans for the values at hand; the second keeps the plans that it makes first. */
  connections: readonly [custom: pg.PoolClient, kept: pg.PoolClient];
  close(): Promise<void>;
}

/** Opens it, empty and migrated; what is to be planned while there is nothing is run on the second connection first. */
export async function openPlanning(service: string): Promise<Planning> {
  const database = await testDatabase(service);
  const pool = openTestPool(database.url, { max: 3 });
  await leaveStatistics(pool);
  const connections = [await pool.connect(), await pool.connect()] as const;
  await connections[0].query('SET plan_cache_mode = force_custom_plan');
  await connections[1].query('SET plan_cache_mode = force_generic_plan');
  return {
    url: database.url,
    pool,
    connections,
    async close() {
      for (const connection of connections) connection.release();
      await pool.end();
      await database.drop();
    },
  };
}

/** Statistics are taken when a test says so: where the server takes them on its own depends on how long the test lasts. */
async function leaveStatistics(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ statement: string }>(
    `SELECT format('ALTER TABLE %s SET (autovacuum_enabled = false)', oid::regclass) AS statement FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  for (const { statement } of rows) await pool.query(statement);
}
