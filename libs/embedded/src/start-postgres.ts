import { inContainers, startPostgresContainer } from './containers.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';

/** A PostgreSQL server; `url` names no database. */
export interface PostgresServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * The server in `TEST_DATABASE_URL` or `DATABASE_URL`; else with `TEST_CONTAINERS` one in a container; else a cluster of the PostgreSQL that npm installed.
 * @param keep where the cluster's data stay, and its port; without it both are thrown away at the end, and nothing
 *   is written to disk with care (fsync off)
 */
export async function startPostgres(keep?: { dir: string; port: number }): Promise<PostgresServer> {
  const given = process.env.TEST_DATABASE_URL || process.env.DATABASE_URL;
  if (given) return { url: given, stop: async () => {} };
  return keep === undefined && inContainers() ? startPostgresContainer() : startEmbeddedPostgres(keep);
}
