import { randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createDatabase, databaseUrl, deployMigrations } from '@kontoport/database';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

/** A PostgreSQL server; `url` names no database. */
export interface PostgresServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * The server in `TEST_DATABASE_URL` or `DATABASE_URL`, else a cluster of the PostgreSQL that npm installed.
 * @param keep where the cluster's data stay, and its port; without it both are thrown away at the end, and nothing
 *   is written to disk with care (fsync off)
 */
export async function startPostgres(keep?: { dir: string; port: number }): Promise<PostgresServer> {
  const given = process.env.TEST_DATABASE_URL || process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  return startEmbeddedPostgres(keep);
}

const ENVIRONMENT = { url: 'KONTOPORT_TEST_POSTGRES', run: 'KONTOPORT_TEST_RUN' };

/**
 * Makes one migrated template database per service that has migrations, and tells the Jest workers where.
 * @param root the repository
 */
export async function prepareTemplates(server: PostgresServer, root: string): Promise<void> {
  const run = `t${randomBytes(4).toString('hex')}`;
  const services = globSync('services/*/prisma/migrations', { cwd: root }).map((path) =>
    dirname(dirname(path)),
  );
  await deployMigrations(
    await Promise.all(
      services.map(async (folder) => ({
        url: await createDatabase(server.url, templateName(run, basename(folder))),
        prismaDir: join(root, folder, 'prisma'),
      })),
    ),
  );
  process.env[ENVIRONMENT.url] = server.url;
  process.env[ENVIRONMENT.run] = run;
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

let made = 0;

/**
 * A fresh copy of a service's migrated template database.
 * @param service the folder under `services/`, such as `account-information`; without it the database is empty
 */
export async function testDatabase(service?: string): Promise<TestDatabase> {
  const server = process.env[ENVIRONMENT.url];
  const run = process.env[ENVIRONMENT.run];
  if (server === undefined || run === undefined)
    throw new Error('no PostgreSQL was prepared: run the tests through scripts/jest.ts');
  const name = `${run}_w${process.env.JEST_WORKER_ID ?? '0'}_${process.pid}_${made++}`;
  const template = service === undefined ? 'template1' : templateName(run, service);
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

function templateName(run: string, service: string): string {
  return `${run}_template_${service.replaceAll('-', '_')}`;
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
