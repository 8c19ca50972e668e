import type { DatabaseAccess, Tx } from '@kontoport/database';
import type { Producer } from '@kontoport/events';
import type { ConnectBank } from '@kontoport/grpc';
import { type Closable, type Logger, Loop, type Readiness } from '@kontoport/lifecycle';
import type { LedgerServiceClient } from '@kontoport/proto/accounts/v1';
import { PaymentServiceClient, StrongAuthenticationServiceClient } from '@kontoport/proto/bank/v1';
import type { AdapterTable } from '@kontoport/service';
import { bankAuthentication } from './bank/bank-authentication.ts';
import { bankConnector } from './bank/bank-connector.ts';
import { simulatedAuthentication } from './bank/simulated-authentication.ts';
import { simulatedBank } from './bank/simulated-bank.ts';
import {
  type ClockOptions,
  type MovedClock,
  type OpenedClocks,
  sandboxClocks,
  systemClock,
} from './clocks/client-clocks.ts';
import type { Bank } from './domain/ports/bank.ts';
import type { PaymentStore } from './domain/ports/payment-store.ts';
import type { StrongCustomerAuthentication } from './domain/ports/strong-customer-authentication.ts';
import type { SandboxLimits } from './store/limits.ts';
import { memoryRelay } from './store/memory/memory-outbox.ts';
import { MemoryPaymentStore } from './store/memory/memory-payment-store.ts';
import type { OpenItemLimits } from './store/postgres/open-item-quota.ts';
import { openPostgresStore } from './store/postgres/open-postgres-store.ts';
import type { Retention } from './store/postgres/tables.ts';

/** A payment store with the loops that sweep it and publish its events. */
export interface OpenedStore {
  store: PaymentStore;
  loops: readonly Loop[];
  /** The database of the store; absent: it is in memory. */
  database?: Closable & Tx & { readiness: Readiness };
  /** Brings forward the due times of a client whose clock moved; absent in production. */
  advance?: (moved: MovedClock) => void;
}

/** Options of a payment store. */
export interface StoreOptions {
  service: string;
  limits: SandboxLimits & { open: OpenItemLimits };
  retention: Retention;
  /** The address of the database, if there is one. */
  database: () => DatabaseAccess;
  /** Publishes the events of payments. */
  producer: Producer;
  logger: Logger;
}

/** The ports of payments that have an implementation for each environment. */
export interface Adapters {
  /** The store of drafts, payments and baskets. */
  paymentStore: (options: StoreOptions) => OpenedStore;
  /** The clocks by which the days of clients are counted. */
  clientClocks: (options: ClockOptions) => OpenedClocks;
  /** The bank that executes payments. */
  bank: (options: { ledger: LedgerServiceClient; connect: ConnectBank }) => Bank;
  /** The approval by the user. */
  strongCustomerAuthentication: (options: { connect: ConnectBank }) => StrongCustomerAuthentication;
}

const SWEEP_MS = 60_000;

/** Drafts and payments live a day in memory (§8), and the events of payments until the broker has them. */
function openSandboxStore({ limits, producer, logger }: StoreOptions): OpenedStore {
  const store = new MemoryPaymentStore(limits);
  const sweep = new Loop({
    name: 'payment store sweep',
    everyMs: SWEEP_MS,
    work: () => store.sweep(new Date()),
    logger,
  });
  const { outbox } = store;
  const loops = [sweep, memoryRelay({ outbox, producer, logger })];
  return { store, loops, advance: (moved) => store.advance(moved) };
}

/** The adapters of each environment. */
export const adapters: AdapterTable<Adapters> = {
  sandbox: {
    paymentStore: openSandboxStore,
    clientClocks: sandboxClocks,
    bank: ({ ledger }) => simulatedBank(ledger),
    strongCustomerAuthentication: () => simulatedAuthentication,
  },
  production: {
    paymentStore: openPostgresStore,
    clientClocks: () => systemClock,
    bank: ({ connect }) => bankConnector(connect(PaymentServiceClient)),
    strongCustomerAuthentication: ({ connect }) =>
      bankAuthentication(connect(StrongAuthenticationServiceClient)),
  },
};
