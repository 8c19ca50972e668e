import type { Verifier } from '@kontoport/certificates';
import type { ClientDirectory } from '@kontoport/client-directory';
import { databaseAccess, openDb } from '@kontoport/database';
import { createProducer, kafkaAccess, openKafka, outboxRelay } from '@kontoport/events';
import type { QueuedLimiter } from '@kontoport/fairness';
import type { Logger, Loop } from '@kontoport/lifecycle';
import type { Environment, OpenContext } from '@kontoport/service';
import type { Adapters } from './adapters.ts';
import { changeLimiter } from './clients/change-limiter.ts';
import { type Pepper, toPepper } from './clients/client-secret.model.ts';
import type { RegistrationLimits } from './clients/registration-limits.model.ts';
import type { Retention } from './clients/retention.ts';
import type { Config } from './config.ts';
import { DirectoryHub } from './directory/directory-hub.ts';
import { createPrisma, type Db, MIGRATION } from './gen/db.ts';

/** Dependencies of the entry points. */
export interface Deps {
  environment: Environment;
  db: Db;
  /** Connections only for the verification of secrets. */
  credentialsDb: Db;
  hub: DirectoryHub;
  /** Publishes audit records. */
  relay: Loop;
  changes: QueuedLimiter;
  /** The directory as this replica watches it, like every other service. */
  directory: ClientDirectory;
  /** Verifies the certificates that clients add. */
  verifier: Verifier;
  /** The peppers of client secrets: the first hashes, all verify. */
  peppers: readonly Pepper[];
  /** Whether redirect URIs may be http on localhost: during development only (§2.1). */
  loopbackHttp: boolean;
  limits: RegistrationLimits;
  /** Maximum unexpired revoked tokens of a client. */
  revokedTokens: number;
  retention: Retention;
  logger: Logger;
}

/** Opens all dependencies. */
export function openDeps(context: OpenContext<Config, Adapters>): Deps {
  const { service, config, adapters, logger, lifecycle, gate } = context;
  const access = databaseAccess({ config, logger });
  const open = (applicationName: string, max?: number): Db =>
    openDb({
      ...access,
      applicationName,
      ...(max === undefined ? {} : { max }),
      prisma: createPrisma,
      migration: MIGRATION,
    });
  const db = lifecycle.own('database', open(service));
  // Requests may wait for each other inside the database. The leases of all services and the issuing of tokens must not wait
  // for them.
  const directoryDb = lifecycle.own('directory database', open(`${service} directory`, 3));
  const credentialsDb = lifecycle.own('credentials database', open(`${service} credentials`, 5));
  const kafka = openKafka({ ...kafkaAccess({ config, logger }), clientId: service, logger });
  const producer = lifecycle.own('kafka producer', createProducer({ kafka }));
  return {
    environment: config.ENVIRONMENT,
    // Audit records are not urgent: the relay polls.
    relay: outboxRelay({ pool: db.pool, producer, logger, pollMs: 1_000 }),
    db,
    credentialsDb,
    hub: new DirectoryHub({ db: directoryDb, logger }),
    changes: changeLimiter(),
    directory: gate.directory,
    verifier: gate.verifier,
    peppers: config.CLIENT_SECRET_PEPPER.map(toPepper),
    loopbackHttp: adapters.redirectUris.loopbackHttp,
    limits: {
      clients: config.CLIENTS_PER_ORGANIZATION,
      deletedClients: config.DELETED_CLIENTS_PER_ORGANIZATION,
      tombstoneMs: config.TOMBSTONE_RETENTION,
      perMinute: config.REGISTRATIONS_PER_MINUTE,
      burst: config.REGISTRATION_BURST,
      redirectUris: config.REDIRECT_URIS_PER_CLIENT,
      redirectUriCharacters: config.REDIRECT_URI_CHARACTERS_PER_CLIENT,
      certificateChains: config.CERTIFICATE_CHAINS_PER_CLIENT,
    },
    revokedTokens: config.REVOKED_TOKENS_PER_CLIENT,
    retention: { unusedMs: config.UNUSED_CLIENT_RETENTION, tombstoneMs: config.TOMBSTONE_RETENTION },
    logger,
  };
}
