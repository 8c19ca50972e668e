import type { ClientDirectory } from '@kontoport/client-directory';
import { openPool } from '@kontoport/database';
import type { Logger } from '@kontoport/runtime';
import type { OpenContext } from '@kontoport/service';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { Adapters } from './adapters.ts';
import type { Config } from './config.ts';
import { DirectoryHub } from './directory/directory-hub.ts';
import { PrismaClient } from './gen/prisma/client.ts';

/** All that the entry points work with. */
export interface Deps {
  pool: pg.Pool;
  prisma: PrismaClient;
  hub: DirectoryHub;
  /** The directory as this replica watches it, like every other service. */
  directory: ClientDirectory;
  /** Key of the client secrets' HMAC. */
  pepper: Uint8Array;
  /** Whether redirect URIs may be http on localhost: during development only (§2.1). */
  loopbackHttp: boolean;
  logger: Logger;
}

/** Opens the database. */
export function openDeps(context: OpenContext<Config, Adapters>): Deps {
  const { service, config, adapters, logger, lifecycle, gate } = context;
  const pool = openPool({ url: config.DATABASE_URL, applicationName: service });
  lifecycle.own('database', { close: () => pool.end() });
  // Requests may wait for each other inside the database; the leases of all services must not wait with them.
  const directoryPool = openPool({
    url: config.DATABASE_URL,
    max: 3,
    applicationName: `${service} directory`,
  });
  lifecycle.own('directory database', { close: () => directoryPool.end() });
  return {
    pool,
    prisma: new PrismaClient({ adapter: new PrismaPg(pool) }),
    hub: new DirectoryHub({ pool: directoryPool, logger }),
    directory: gate.directory,
    pepper: config.CLIENT_SECRET_PEPPER,
    loopbackHttp: adapters.redirectUris.loopbackHttp,
    logger,
  };
}
