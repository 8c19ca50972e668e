import pg from 'pg';
import type { DatabaseAccess } from './database-config.ts';
import { MeasuredPool } from './measured-pool.ts';

const LIMITS_MS = { statement: 10_000, connection: 3_000 };
/** Milliseconds by which the client's limit exceeds that of the server, which an unreachable server cannot enforce. */
const MUTE_MS = 2_000;
/**
 * A connection keeps a plan that it made while the tables were small, and the plan must suit large ones. So the planner
 * always uses an index in its own order: a bitmap scan would read and sort all transactions of an account for a page of
 * a hundred. JIT is off for statements of a millisecond.
 */
const PLANS = '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off';

/** The URL alone, or URL and TLS that are read for each connection. */
export type PoolOptions = (DatabaseAccess | { url: string; tls?: undefined }) & {
  max?: number;
  applicationName: string;
  /** Milliseconds for a statement (default 10,000) and for a connection (3,000). */
  limits?: { statement: number; connection: number };
};

/**
 * Opens the connection pool of a process, shared by plain SQL and the generated Prisma client. Sessions run in UTC,
 * because the Prisma adapter drops the offset of `timestamptz` values. A statement ends after 10 s and a wait for a
 * connection after 3 s, unless other limits are given. If the database does not answer, the driver ends the statement 2
 * s later, and the pool closes its connection. With TLS the server must prove its name or address; a server without TLS
 * is refused.
 * @param options.url `postgres://user:password@host:port/database`
 * @param options.max connections (default 10)
 * @param options.applicationName in pg_stat_activity: the service
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
  // The pool replaces a broken idle connection with the next query.
  pool.on('error', () => {});
  // A connection that breaks while in use fails its query as well; without a listener, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('release', (_error, client) => closeUnlessClean(client));
  return pool;
}

/**
 * Closes a connection whose rollback failed. Prisma returns it to the pool, and the next statements would belong to the
 * old transaction.
 */
function closeUnlessClean(client: pg.ClientBase): void {
  if (client instanceof pg.Client && client.getTransactionStatus() !== 'I') void client.end();
}

/** A client that reads address, credentials and TLS files anew for each connection. */
function clientOf({ url, tls }: PoolOptions): new () => pg.Client {
  return class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      const target = new URL(typeof url === 'string' ? url : url());
      // `options` in the URL override ours, and UTC must hold in any case.
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

/** Readiness of a database with a migration: until it is applied, the code is newer than the tables. */
export function migratedReady(pool: pg.Pool, migration: string): () => Promise<string | undefined> {
  let applied = false;
  return async () => {
    // An older version accepts the migrations of a newer one.
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
