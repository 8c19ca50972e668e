import type { ClientDirectory } from '@kontoport/client-directory';
import { openDb } from '@kontoport/database';
import type { Logger } from '@kontoport/runtime';
import type { Environment, OpenContext } from '@kontoport/service';
import type { Adapters } from './adapters.ts';
import type { Config } from './config.ts';
import type { Db } from './db.ts';
import { DirectoryHub } from './directory/directory-hub.ts';
import { PrismaClient } from './gen/prisma/client.ts';

/** All that the entry points work with. */
export interface Deps {
  environment: Environment;
  db: Db;
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
  const open = (applicationName: string, max?: number): Db =>
    openDb({
      url: config.DATABASE_URL,
      applicationName,
      ...(max === undefined ? {} : { max }),
      prisma: (adapter) => new PrismaClient({ adapter }),
    });
  const db = lifecycle.own('database', open(service));
  // Requests may wait for each other inside the database; the leases of all services must not wait with them.
  const directoryDb = lifecycle.own('directory database', open(`${service} directory`, 3));
  return {
    environment: config.ENVIRONMENT,
    db,
    hub: new DirectoryHub({ db: directoryDb, logger }),
    directory: gate.directory,
    pepper: config.CLIENT_SECRET_PEPPER,
    loopbackHttp: adapters.redirectUris.loopbackHttp,
    logger,
  };
}
