import { type Db, openDb, type PrismaAdapter, type Tx } from '@kontoport/database';
import type pg from 'pg';
import { openTestPool, testDatabase } from './postgres.ts';

/**
 * Counts the rows that `work` reads from tables over a connection, and rolls back its writes.
 * @param connection a single connection, not a pool
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
 * Makes a handle that runs all statements of Prisma and SQL over one connection. Its transactions are savepoints in the
 * one that is rolled back.
 * @param prisma `createPrisma` of the service
 * @returns a function that turns work on the handle into work for `rowsRead`
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
    // Prisma's statements have no names, so PostgreSQL plans each for its values, in any plan mode.
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

/** Rows that this connection has read from tables. Only differences within a transaction are meaningful. */
export async function rowsReadSoFar(connection: Tx): Promise<number> {
  const { rows } = await connection.query<{ count: string }>(
    'SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) AS count FROM pg_stat_xact_user_tables',
  );
  return Number(rows[0]!.count);
}

/** A database with two connections that plan the same statements differently. */
export interface Planning {
  url: string;
  pool: pg.Pool;
  /** The first connection plans each statement for its values; the second keeps generic plans. */
  connections: readonly [custom: pg.PoolClient, kept: pg.PoolClient];
  close(): Promise<void>;
}

/** Opens an empty, migrated database. Run statements on the second connection first to plan them for empty tables. */
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

/** Disables autovacuum: tests take statistics themselves, independent of their duration. */
async function leaveStatistics(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ statement: string }>(
    `SELECT format('ALTER TABLE %s SET (autovacuum_enabled = false)', oid::regclass) AS statement FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  for (const { statement } of rows) await pool.query(statement);
}
