import { databaseAccess, openDb } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { createProducer, kafkaAccess, openKafka, outboxRelay } from '@kontoport/events';
import { ConcurrencyLimiter } from '@kontoport/fairness';
import type { Logger, Loop } from '@kontoport/lifecycle';
import type { Environment, OpenContext } from '@kontoport/service';
import type { AccountData } from './accounts/account.model.ts';
import type { Adapters } from './adapters.ts';
import type { Config } from './config.ts';
import type { Users } from './consents/user.model.ts';
import { createPrisma, type Db, MIGRATION } from './gen/db.ts';
import { Ledger } from './ledger/ledger.ts';
import { LEDGER_TEXTS } from './ledger/texts.ts';
import type { Simulation } from './sandbox/simulation.ts';
import { TEXTS } from './texts.ts';
import { createCursors, type Cursors } from './transactions/cursor.ts';

/** The dependencies of the entry points. */
export interface Deps {
  environment: Environment;
  logger: Logger;
  db: Db;
  /** Publishes the events of committed postings. */
  relay: Loop;
  ledger: Ledger;
  ingest: { streams: number; idleMs: number };
  accountData: AccountData;
  users: Users;
  simulation: Simulation | undefined;
  cursors: Cursors;
  /** The organizationIdentifier of a client. */
  organizationOf: (clientId: string) => string;
  /** Limit the concurrent downloads of TPPs and uploads of the bank. */
  downloads: ConcurrencyLimiter;
  uploads: ConcurrencyLimiter;
}

/** Opens the dependencies; they are closed in reverse order. */
export function openDeps(context: OpenContext<Config, Adapters>): Deps {
  const { service, config, adapters, logger, lifecycle, gate } = context;
  const db = openDb({
    ...databaseAccess({ config, logger }),
    applicationName: service,
    prisma: createPrisma,
    migration: MIGRATION,
  });
  lifecycle.own('database', db);
  const kafka = openKafka({ ...kafkaAccess({ config, logger }), clientId: service, logger });
  const producer = lifecycle.own('kafka producer', createProducer({ kafka }));
  const relay = outboxRelay({ pool: db.pool, producer, logger });
  const ledger = new Ledger({ db, relay });
  const { directory } = gate;
  const organizationOf = (clientId: string): string => {
    const client = directory.find(clientId);
    // Another service knows the client already. This replica learns of it within a second.
    if (client === undefined) throw new ApiError('UNAVAILABLE', TEXTS('client-not-known-yet'));
    return client.organizationIdentifier;
  };
  return {
    environment: config.ENVIRONMENT,
    logger,
    db,
    relay,
    ledger,
    ingest: { streams: config.INGEST_STREAMS, idleMs: config.INGEST_IDLE_SECONDS * 1_000 },
    accountData: adapters.accountData({
      db,
      firstUsesInFlight: config.SANDBOX_FIRST_USES_IN_FLIGHT,
      organizationOf,
      isDeleted: (clientId) => directory.find(clientId)?.deleted ?? false,
    }),
    users: adapters.users({ organizationOf }),
    simulation: adapters.simulation({ db, ledger, directory, logger }),
    cursors: createCursors(config.SECRETS_KEY),
    organizationOf,
    // A download holds two parts of 256 KiB in memory, and an upload the whole attachment.
    downloads: new ConcurrencyLimiter({
      max: 64,
      maxPerKey: 8,
      refusal: () => new ApiError('UNAVAILABLE', TEXTS('downloads-busy')),
    }),
    uploads: new ConcurrencyLimiter({
      max: 8,
      maxPerKey: 8,
      refusal: () => new ApiError('UNAVAILABLE', LEDGER_TEXTS('uploads-busy')),
    }),
  };
}
