import { inContainers, startPostgresContainer } from './containers.ts';
import { type PostgresData, type PostgresServer, startEmbeddedPostgres } from './embedded-postgres.ts';

/**
 * Starts a PostgreSQL: the one of `TEST_DATABASE_URL` or `DATABASE_URL`; a container in tests that use containers; else
 * a cluster of the PostgreSQL from npm.
 * @param data the data of a cluster; default: temporary, without durable writes
 */
export async function startPostgres(data?: PostgresData): Promise<PostgresServer> {
  const given = process.env.TEST_DATABASE_URL || process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  return data === undefined && inContainers() ? startPostgresContainer() : startEmbeddedPostgres(data);
}
