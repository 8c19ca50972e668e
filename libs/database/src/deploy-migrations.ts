import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TlsOptions } from '@kontoport/internal-tls';
import pg from 'pg';

/** One database and the migrations it gets. */
export interface Deployment {
  url: string;
  /** The folder that has `migrations/`. */
  prismaDir: string;
  /** Absent: without TLS. */
  tls?: TlsOptions | undefined;
}

/** The result of a deployment, by names of migrations. */
export interface Deployed {
  /** Applied now, in order. */
  applied: readonly string[];
  /** Only in the database: a newer version applied them. */
  unknown: readonly string[];
}

/** The advisory lock of Prisma, so that its deployments and ours exclude each other. */
const LOCK = 72_707_369;
const CONNECT_LIMIT_MS = 10_000;
/** The wait for another deployment. */
const TURN_LIMIT = '10min';
/** The wait for a table. A waiting lock blocks all later ones. */
const TABLE_LIMIT = '10s';

/** The table as Prisma creates it. */
const RECORDS = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id                  varchar(36) PRIMARY KEY NOT NULL,
  checksum            varchar(64) NOT NULL,
  finished_at         timestamptz,
  migration_name      varchar(255) NOT NULL,
  logs                text,
  rolled_back_at      timestamptz,
  started_at          timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the SQL, hexadecimal. */
  checksum: string;
}

/**
 * Applies the pending migrations, each in a transaction with its record, one deployment at a time. The records are
 * those of `prisma migrate deploy`. A failed migration leaves nothing, and the next deployment repeats it.
 * @throws Error with the name of the migration and the database's message; before anything is applied, when an applied
 *   one has changed or was left half done
 */
export async function deployMigrations({ url, prismaDir, tls }: Deployment): Promise<Deployed> {
  const migrations = readMigrations(join(prismaDir, 'migrations'));
  const client = new pg.Client({
    connectionString: url,
    ssl: tls ?? false,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    application_name: 'migrations',
  });
  // A broken connection fails the running statement.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`SET lock_timeout = '${TURN_LIMIT}'`);
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query(`SET lock_timeout = '${TABLE_LIMIT}'`);
    await client.query(RECORDS);
    const { pending, unknown } = await compare(client, migrations);
    for (const migration of pending) await apply(client, migration);
    return { applied: pending.map(({ name }) => name), unknown };
  } finally {
    // The connection releases the lock.
    await client.end();
  }
}

/** The migrations of a folder, oldest first. */
function readMigrations(folder: string): Migration[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function compare(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<{ pending: Migration[]; unknown: string[] }> {
  const { rows } = await client.query<{
    name: string;
    checksum: string;
    isDone: boolean;
    logs: string | null;
  }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS "isDone", logs FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  );
  const halfDone = rows.find(({ isDone }) => !isDone);
  if (halfDone)
    throw new Error(
      `${halfDone.name}: was left half done${halfDone.logs ? ` (${halfDone.logs.trim()})` : ''}; ` +
        'repair the database, then set finished_at or rolled_back_at of its row in _prisma_migrations',
    );
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const changed = rows.find(({ name, checksum }) => (known.get(name)?.checksum ?? checksum) !== checksum);
  if (changed)
    throw new Error(
      `${changed.name}: has changed since it was applied; a database whose data may go, such as a sandbox's, is made ` +
        'anew, any other is deployed with the files that it was made with',
    );
  const recorded = new Set(rows.map(({ name }) => name));
  return {
    pending: migrations.filter(({ name }) => !recorded.has(name)),
    unknown: [...recorded].filter((name) => !known.has(name)),
  };
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  const id = randomUUID();
  try {
    await client.query('BEGIN');
    await client.query(
      'INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at) VALUES ($1, $2, $3, clock_timestamp())',
      [id, checksum, name],
    );
    await client.query(sql);
    await client.query(
      'UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1 WHERE id = $1',
      [id],
    );
    await client.query('COMMIT');
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
