import { inContainers, startPostgresContainer } from './containers.ts';
import { type PostgresData, type PostgresServer, startEmbeddedPostgres } from './embedded-postgres.ts';

/**
 * The server in `TEST_DATABASE_URL` or `DATABASE_URL`; else, in tests that use containers, one in a container; else a cluster
 * of the PostgreSQL that npm installed.
 * @param data of a cluster: what becomes of them; without it they are thrown away at the end, and nothing is written to
 *   disk with care (fsync off)
 */
export async function startPostgres(data?: PostgresData): Promise<PostgresServer> {
  const given = process.env.TEST_DATABASE_URL || process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  return data === undefined && inContainers() ? startPostgresContainer() : startEmbeddedPostgres(data);
}
