import type { TlsOptions } from '@kontoport/internal-tls';
import pg from 'pg';

/** SQLSTATEs of a database that another process made in the same moment. */
const TAKEN = new Set(['42P04', '23505']);

/** The same server and credentials, another database. */
export function databaseUrl(baseUrl: string, name: string): string {
  const url = new URL(baseUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

/**
 * Makes the database unless it exists.
 * @param baseUrl the server; its path names the database to connect to first (default `postgres`)
 * @returns the URL of the database
 */
export async function createDatabase(baseUrl: string, name: string, tls?: TlsOptions): Promise<string> {
  const first = new URL(baseUrl).pathname.length > 1 ? baseUrl : databaseUrl(baseUrl, 'postgres');
  const client = new pg.Client({ connectionString: first, ssl: tls ?? false });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && TAKEN.has(error.code ?? ''))) throw error;
  } finally {
    await client.end();
  }
  return databaseUrl(baseUrl, name);
}
