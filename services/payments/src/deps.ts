import { createClient } from '@kontoport/grpc';
import { type Gate, openGate } from '@kontoport/gate';
import { AccountAccessServiceClient, LedgerServiceClient } from '@kontoport/proto/accounts/v1';
import { createLogger, describeError, type Lifecycle, type Logger, readConfig } from '@kontoport/runtime';
import { approveAutomatically, type AuthenticateUser } from './baskets/strong-customer-authentication.ts';
import { accountAccess, type FindAccount } from './accounts/account-access.ts';
import { ledger, type PostPayment } from './accounts/ledger.ts';
import { config } from './config.ts';
import { PAYMENT_TYPES, type PaymentTypes } from './payment-types/payment-types.ts';
import { SANDBOX_LIMITS } from './store/limits.ts';
import { MemoryPaymentStore } from './store/memory/memory-payment-store.ts';
import type { PaymentStore } from './store/payment-store.ts';

const SWEEP_MS = 60_000;

/** What the entry points are built from. */
export interface Deps {
  logger: Logger;
  gate: Gate;
  store: PaymentStore;
  paymentTypes: PaymentTypes;
  findAccount: FindAccount;
  authenticateUser: AuthenticateUser;
  /** Milliseconds from approval to settlement, where the payment type waits. */
  settlementDelayMs: number;
  userUrl: string;
  post: PostPayment;
}

/** Opens everything once; what was opened is owned by `lifecycle`. @throws ConfigError */
export async function openDeps(options: {
  env: Record<string, string | undefined>;
  lifecycle: Lifecycle;
  paymentTypes?: PaymentTypes;
}) {
  const { env, lifecycle, paymentTypes = PAYMENT_TYPES } = options;
  const settings = readConfig(config, env);
  const logger = createLogger({ service: 'payments', level: settings.LOG_LEVEL });
  const gate = await openGate({ service: 'payments', config: settings, logger, lifecycle });

  const access = createClient(AccountAccessServiceClient, settings.ACCOUNTS_GRPC);
  lifecycle.own('account access', { close: async () => access.close() });
  const ledgerClient = createClient(LedgerServiceClient, settings.ACCOUNTS_GRPC);
  lifecycle.own('ledger', { close: async () => ledgerClient.close() });

  const store = new MemoryPaymentStore(SANDBOX_LIMITS);
  const sweeping = setInterval(() => store.sweep(new Date()), SWEEP_MS);
  lifecycle.own('sweep', { close: async () => clearInterval(sweeping) });
  gate.directory.onDeleted((clientId) => {
    store.dropClient(clientId).catch((error: unknown) => {
      logger.error({ error: describeError(error), clientId }, 'state of a deleted client not dropped');
    });
  });

  const deps: Deps = {
    logger,
    gate,
    store,
    paymentTypes,
    findAccount: accountAccess(access),
    post: ledger(ledgerClient),
    authenticateUser: approveAutomatically,
    settlementDelayMs: settings.SETTLEMENT_DELAY,
    userUrl: settings.USER_URL,
  };
  return { settings, deps, directory: gate.directory };
}
