import type { ClientDirectory } from '@kontoport/client-directory';
import { databaseAccess, type Tx } from '@kontoport/database';
import { createProducer, kafkaAccess, openKafka, type Producer } from '@kontoport/events';
import { bankConnection } from '@kontoport/grpc';
import type { Logger, Loop, Readiness } from '@kontoport/lifecycle';
import {
  AccountAccessServiceClient,
  ClientClockServiceClient,
  LedgerServiceClient,
} from '@kontoport/proto/accounts/v1';
import type { OpenContext } from '@kontoport/service';
import { accountAccess } from './accounts/account-access.ts';
import type { Adapters, OpenedStore } from './adapters.ts';
import type { ClientClocks, MovedClock } from './clocks/client-clocks.ts';
import type { Config } from './config.ts';
import type { FindAccount } from './domain/payment-types/payment-type.model.ts';
import type { Bank } from './domain/ports/bank.ts';
import type { PaymentStore } from './domain/ports/payment-store.ts';
import type { StrongCustomerAuthentication } from './domain/ports/strong-customer-authentication.ts';
import { SANDBOX_LIFETIME_MS, type SandboxLimits } from './store/limits.ts';
import { forgetDeletedClients } from './workers/forget-clients.ts';

/** Dependencies of the entry points. */
export interface Deps {
  logger: Logger;
  store: PaymentStore;
  /** Loops that sweep the store and publish its events. */
  storeLoops: readonly Loop[];
  /** Readiness of the database; empty for the store in memory. */
  readiness: Readonly<Record<string, Readiness>>;
  /** The store in which replicas share request counts; the sandbox has one replica. */
  usage: Tx | undefined;
  clocks: ClientClocks;
  /** Loops that update the clocks. */
  clockLoops: readonly Loop[];
  directory: ClientDirectory;
  findAccount: FindAccount;
  authentication: StrongCustomerAuthentication;
  /** Milliseconds that a user has to answer. */
  approvalLifetimeMs: number;
  /** Milliseconds from approval to settlement, where the payment type waits. */
  settlementDelayMs: number;
  /** Milliseconds that an approval waits for what it books at once. */
  bookingWaitMs: number;
  userUrl: string;
  bank: Bank;
}

/** Opens all dependencies; `lifecycle` owns and closes them. */
export function openDeps(context: OpenContext<Config, Adapters>): Deps {
  const { service, config, adapters, logger, lifecycle, gate, connect: connectPeer } = context;
  const access = connectPeer(AccountAccessServiceClient, config.ACCOUNTS_GRPC);
  const ledger = connectPeer(LedgerServiceClient, config.ACCOUNTS_GRPC);

  const kafka = openKafka({ ...kafkaAccess({ config, logger }), clientId: service, logger });
  const producer = lifecycle.own('kafka producer', createProducer({ kafka }));
  const clockClient = connectPeer(ClientClockServiceClient, config.ACCOUNTS_GRPC);
  const { store, loops, database, advance } = openStore(context, producer);
  const onMoved = (moved: MovedClock): void => advance?.(moved);
  const { clocks, loops: clockLoops } = adapters.clientClocks({ client: clockClient, onMoved, logger });
  const connect = bankConnection({ config, lifecycle, logger });
  return {
    logger,
    store,
    storeLoops: [...loops, forgetDeletedClients({ directory: gate.directory, store, logger })],
    usage: database,
    readiness: database === undefined ? {} : { database: database.readiness },
    clocks,
    clockLoops,
    directory: gate.directory,
    findAccount: accountAccess(access),
    bank: adapters.bank({ ledger, connect }),
    authentication: adapters.strongCustomerAuthentication({ connect }),
    approvalLifetimeMs: config.APPROVAL_LIFETIME,
    settlementDelayMs: config.SETTLEMENT_DELAY,
    bookingWaitMs: config.BOOKING_WAIT,
    userUrl: config.USER_URL,
  };
}

function openStore(context: OpenContext<Config, Adapters>, producer: Producer): OpenedStore {
  const { service, config, adapters, logger, lifecycle } = context;
  const { DATABASE_URL, DRAFT_RETENTION: openMs, PAYMENT_RETENTION: paymentMs } = config;
  const opened = adapters.paymentStore({
    service,
    limits: {
      ...sandboxLimits(config),
      open: { ofClient: config.OPEN_ITEMS_PER_CLIENT, ofOrganization: config.OPEN_ITEMS_PER_ORGANIZATION },
    },
    retention: { openMs, paymentMs },
    database() {
      if (DATABASE_URL === undefined) throw new Error('DATABASE_URL is not given');
      return databaseAccess({ config: { ...config, DATABASE_URL }, logger });
    },
    producer,
    logger,
  });
  if (opened.database) lifecycle.own('database', opened.database);
  return opened;
}

function sandboxLimits(config: Config): SandboxLimits {
  return {
    lifetimeMs: SANDBOX_LIFETIME_MS,
    entriesPerClient: config.SANDBOX_ENTRIES_PER_CLIENT,
    entriesInAll: config.SANDBOX_ENTRIES_TOTAL,
    organizationShare: config.SANDBOX_ORGANIZATION_SHARE,
    eventsInAll: config.SANDBOX_EVENTS_TOTAL,
  };
}
