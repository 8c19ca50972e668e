// A process that settles payments over a database, and dies where it is told to: the worker of settlement-processes.test.ts.
import { openDb } from '@kontoport/database';
import { createLogger } from '@kontoport/lifecycle';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import type { PaymentStore } from '../src/domain/ports/payment-store.ts';
import { createPrisma } from '../src/gen/db.ts';
import { PostgresPaymentStore } from '../src/store/postgres/postgres-payment-store.ts';
import { settlePayments } from '../src/workers/settle-payments.ts';
import { bankIn, type DeathPoint } from './settlement-bank.ts';

const [url, diesAt] = process.argv.slice(2) as [string, DeathPoint];

function dieAt(point: DeathPoint): void {
  if (point === diesAt) process.kill(process.pid, 'SIGKILL');
}

const db = openDb({ url, applicationName: 'worker', max: 3, prisma: createPrisma });
const kept = new PostgresPaymentStore({
  db,
  relay: { wake() {} },
  limits: { ofClient: 1_000, ofOrganization: 1_000 },
  retention: { openMs: 86_400_000, paymentMs: 86_400_000 },
});
const bank = bankIn(db);

const store: Pick<PaymentStore, 'claimDue' | 'updateDraft'> = {
  async claimDue(claim) {
    const claimed = await kept.claimDue(claim);
    if (claimed.length > 0) dieAt('after claim');
    return claimed;
  },
  async updateDraft(key) {
    const updated = await kept.updateDraft({
      ...key,
      change(draft) {
        dieAt('within write');
        return key.change(draft);
      },
    });
    dieAt('after write');
    return updated;
  },
};

settlePayments({
  store: store as PaymentStore,
  paymentTypes: PAYMENT_TYPES,
  bank: {
    ...bank,
    async submit(order) {
      const answer = await bank.submit(order);
      dieAt('after post');
      return answer;
    },
  },
  logger: createLogger({ service: 'worker', level: 'silent' }),
}).start();
