import { openPool } from '@kontoport/database';
import type { Lifecycle, Logger } from '@kontoport/runtime';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { Config } from './config.ts';
import { DirectoryHub } from './directory/directory-hub.ts';
import { PrismaClient } from './gen/prisma/client.ts';

/** All that the entry points work with. */
export interface Deps {
  pool: pg.Pool;
  prisma: PrismaClient;
  hub: DirectoryHub;
  /** Key of the client secrets' HMAC. */
  pepper: Uint8Array;
  /** Whether redirect URIs may be http on localhost: during development only (specification §2.1). */
  loopbackHttp: boolean;
  logger: Logger;
}

/** Opens the database. */
export function openDeps(options: { config: Config; logger: Logger; lifecycle: Lifecycle }): Deps {
  const { config, logger, lifecycle } = options;
  const pool = openPool({ url: config.DATABASE_URL, applicationName: 'registration' });
  lifecycle.own('database', { close: () => pool.end() });
  // Requests may wait for each other inside the database; the leases of all services must not wait with them.
  const directoryPool = openPool({
    url: config.DATABASE_URL,
    max: 3,
    applicationName: 'registration directory',
  });
  lifecycle.own('directory database', { close: () => directoryPool.end() });
  return {
    pool,
    prisma: new PrismaClient({ adapter: new PrismaPg(pool) }),
    hub: new DirectoryHub({ pool: directoryPool, logger }),
    pepper: config.CLIENT_SECRET_PEPPER,
    loopbackHttp: config.ENVIRONMENT === 'sandbox',
    logger,
  };
}
