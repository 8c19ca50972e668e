import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createDatabase, databaseUrl, deployMigrations, openPool } from '@kontoport/database';
import type { PostgresServer } from '@kontoport/embedded/embedded-postgres';
import pg from 'pg';

const SERVICES = join(import.meta.dirname, '../../../services');
const ENVIRONMENT = { url: 'KONTOPORT_TEST_POSTGRES', run: 'KONTOPORT_TEST_RUN' };

/** Passes the server and the prefix of databases to the Jest workers. */
export function announceServer(server: PostgresServer): void {
  process.env[ENVIRONMENT.url] = server.url;
  process.env[ENVIRONMENT.run] = `t${randomBytes(4).toString('hex')}`;
}

/** Drops every database of this run; needed where the server outlives it. */
export async function dropRunDatabases(server: PostgresServer): Promise<void> {
  const run = process.env[ENVIRONMENT.run];
  if (run === undefined) return;
  await asAdmin(server.url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [`${run}_`],
    );
    for (const { datname } of rows)
      await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(datname)} WITH (FORCE)`);
  });
}

/** A database of one test file. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/**
 * A fresh copy of a service's migrated template database.
 * @param service the folder under `services/`, such as `account-information`; without it the database is empty
 */
export async function testDatabase(service?: string): Promise<TestDatabase> {
  const server = process.env[ENVIRONMENT.url];
  const run = process.env[ENVIRONMENT.run];
  if (server === undefined || run === undefined)
    throw new Error('no PostgreSQL was prepared: run the tests with npm run test:only');
  // The name is unique even if a failed test file left its database.
  const name = `${run}_${randomBytes(6).toString('hex')}`;
  const template = service === undefined ? 'template1' : await templateOf(service, { server, run });
  await asAdmin(server, (client) =>
    client.query(
      `CREATE DATABASE ${client.escapeIdentifier(name)} TEMPLATE ${client.escapeIdentifier(template)}`,
    ),
  );
  return {
    url: databaseUrl(server, name),
    drop: () =>
      asAdmin(server, async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(name)} WITH (FORCE)`);
      }),
  };
}

/** Runs SQL of a test, with a long limit for a busy machine. */
export const openTestPool = (url: string, options: { max?: number } = {}): pg.Pool =>
  openPool({
    ...options,
    url,
    applicationName: 'test',
    limits: { statement: 60_000, connection: 60_000 },
  });

/** Runs each statement in turn on a connection of its own. */
export async function runSql(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The migrated template of a service, created by the first test file that needs it. */
async function templateOf(
  service: string,
  { server, run }: { server: string; run: string },
): Promise<string> {
  const name = `${run}_template_${service.replaceAll('-', '_')}`;
  await asAdmin(server, async (client) => {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount !== 0) return;
    // It gets its name when it is complete, so a failed one is not used.
    const unfinished = `${name}_${randomBytes(4).toString('hex')}`;
    const url = await createDatabase(server, unfinished);
    await deployMigrations({ url, prismaDir: join(SERVICES, service, 'prisma') });
    await client.query(
      `ALTER DATABASE ${client.escapeIdentifier(unfinished)} RENAME TO ${client.escapeIdentifier(name)}`,
    );
  });
  return name;
}

async function asAdmin<T>(server: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(server).pathname.length > 1 ? server : databaseUrl(server, 'postgres');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
