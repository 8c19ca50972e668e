import pg from 'pg';
import type { DatabaseAccess } from './database-config.ts';
import { MeasuredPool } from './measured-pool.ts';

const LIMITS_MS = { statement: 10_000, connection: 3_000 };
/** A server that is gone cannot enforce the limit of a statement: the client's own limit is this much longer. */
const MUTE_MS = 2_000;
/**
 * A plan is made once per connection, often while the tables are small, and then kept: it must be right when they have
 * grown. So an index is taken wherever there is one, in its own order: what a bitmap finds is read to the end before it
 * is sorted, all transactions of an account for a page of a hundred. And nothing is compiled for a statement that takes
 * a millisecond.
 */
const PLANS = '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off';

/** What a pool is made of: the URL alone, or also TLS, each asked for anew for each connection. */
export type PoolOptions = (DatabaseAccess | { url: string; tls?: undefined }) & {
  max?: number;
  applicationName: string;
  /** Milliseconds for a statement (default 10,000) and for a connection (3,000). */
  limits?: { statement: number; connection: number };
};

/**
 * Opens the one connection pool of a process; plain SQL and the generated Prisma client share it.
 * Every session runs in UTC: the Prisma adapter drops the offset of `timestamptz` values.
 * A statement ends after 10 s, a wait for a connection after 3 s, unless other limits are given, so that a failing database answers in
 * bounded time. Where the database does not answer at all, the driver gives a statement up 2 s later, and the pool ends
 * its connection.
 * With TLS the server must prove the name, or the address, by which it is reached; one that speaks no TLS is left.
 * @param options.url `postgres://user:password@host:port/database`
 * @param options.max connections at most (default 10)
 * @param options.applicationName shown in pg_stat_activity: the service
 */
export function openPool(options: PoolOptions): pg.Pool {
  const limits = options.limits ?? LIMITS_MS;
  const pool = new MeasuredPool({
    Client: clientOf(options),
    max: options.max ?? 10,
    application_name: options.applicationName,
    statement_timeout: limits.statement,
    query_timeout: limits.statement + MUTE_MS,
    idle_in_transaction_session_timeout: 3 * limits.statement,
    connectionTimeoutMillis: limits.connection,
    keepAlive: true,
  });
  // An idle connection that breaks concerns nobody: the pool drops it, and the next query opens another.
  pool.on('error', () => {});
  // One that breaks while in use fails its query as well; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('release', (_error, client) => closeUnlessClean(client));
  return pool;
}

/**
 * Prisma returns its connection even where the rollback of its transaction found no answer. What the next user wrote would belong
 * to that transaction. The pool drops a connection that is closed, and the server rolls back.
 */
function closeUnlessClean(client: pg.ClientBase): void {
  if (client instanceof pg.Client && client.getTransactionStatus() !== 'I') void client.end();
}

/** A client that reads address, credentials and TLS files anew for each connection. */
function clientOf({ url, tls }: PoolOptions): new () => pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const target = new URL(typeof url === 'string' ? url : url());
      // The driver lets `options` in the URL replace ours, and UTC must hold whatever the URL says.
      const given = target.searchParams.get('options') ?? '';
      target.searchParams.delete('options');
      super({
        ...config,
        connectionString: target.href,
        options: `${given} -c TimeZone=UTC ${PLANS}`.trim(),
        // Never undefined: the driver would look into PGSSLMODE.
        ssl: tls === undefined ? false : tls(),
      });
    }
  };
}

/** Readiness of the database: the reason why it does not answer, or nothing when it does. */
export async function databaseReady(pool: pg.Pool): Promise<string | undefined> {
  try {
    await pool.query('SELECT 1');
    return undefined;
  } catch {
    return 'the database does not answer';
  }
}

const NO_SUCH_TABLE = '42P01';

/** The same of a database that a migration has been applied to: until it has, the code is newer than the tables. */
export function migratedReady(pool: pg.Pool, migration: string): () => Promise<string | undefined> {
  let applied = false;
  return async () => {
    // What was applied stays so: an older version runs beside a newer one's migrations.
    if (applied) return databaseReady(pool);
    try {
      const { rowCount } = await pool.query(
        'SELECT FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NOT NULL',
        [migration],
      );
      applied = rowCount !== 0;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== NO_SUCH_TABLE) return 'the database does not answer';
    }
    return applied ? undefined : `the migration ${migration} has not been applied`;
  };
}
