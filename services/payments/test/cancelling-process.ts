// A process that settles payments and cancels them at the same time, until it is killed: the worker of cancel-crash.test.ts.
import { openPool } from '@kontoport/database';
import { createClient } from '@kontoport/grpc';
import { LedgerServiceClient } from '@kontoport/proto/accounts/v1';
import { createLogger } from '@kontoport/runtime';
import { simulatedBank } from '../src/bank/simulated-bank.ts';
import { withdrawPayment } from '../src/drafts/withdraw-payment.ts';
import { PAYMENT_TYPES } from '../src/payment-types/payment-types.ts';
import { settlePayments } from '../src/settlement/settle-payments.ts';
import type { PaymentStore } from '../src/store/payment-store.ts';
import { PostgresPaymentStore } from '../src/store/postgres/postgres-payment-store.ts';
import type { CancellingTask } from './cancelling-task.ts';

const { url, bankPort, clientId, draftIds, leaseMs } = JSON.parse(process.argv[2]!) as CancellingTask;

const store = new PostgresPaymentStore({
  db: { pool: openPool({ url, applicationName: 'worker', max: 5 }) },
  relay: { wake() {} },
  limits: { ofClient: 1_000, ofOrganization: 1_000 },
  retention: { openMs: 86_400_000, paymentMs: 86_400_000 },
});
const bank = simulatedBank(createClient(LedgerServiceClient, `localhost:${bankPort}`));

settlePayments({
  store: {
    // What the dead had in their hands is taken up soon.
    claimDue: (claim: Parameters<PaymentStore['claimDue']>[0]) => store.claimDue({ ...claim, leaseMs }),
    updateDraft: store.updateDraft.bind(store),
  } as PaymentStore,
  paymentTypes: PAYMENT_TYPES,
  bank,
  logger: createLogger({ service: 'worker', level: 'silent' }),
}).start();

for (const draftId of draftIds) {
  const draft = await store.findDraft({ clientId, draftId, now: new Date() });
  // Refused where it is booked, or has been cancelled before.
  if (draft) await withdrawPayment({ store, bank }, draft).catch(() => undefined);
}
