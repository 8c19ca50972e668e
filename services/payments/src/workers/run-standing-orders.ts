import { randomUUID } from 'node:crypto';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { ClientClocks } from '../clocks/client-clocks.ts';
import { rulesOf } from '../domain/payment-types/payment-type.model.ts';
import type { PaymentTypes } from '../domain/payment-types/payment-type.ts';
import type { Bank } from '../domain/ports/bank.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import { runStandingOrder } from '../domain/standing-order.model.ts';

const POLL_MS = 250;
const AT_A_TIME = 100;

/** Creates the payments of due standing orders (§4.5); they are settled like all others. */
export function runStandingOrders(deps: {
  store: PaymentStore;
  clocks: ClientClocks;
  paymentTypes: PaymentTypes;
  bank: Pick<Bank, 'holdMs'>;
  settlementDelayMs: number;
  logger: Logger;
}): Loop {
  const { store, clocks, paymentTypes, bank, logger } = deps;
  return new Loop({
    name: 'standing orders',
    everyMs: POLL_MS,
    work: async () => {
      const now = new Date();
      const taken = await store.runStandingOrders({
        now,
        limit: AT_A_TIME,
        run: (order) => {
          const aheadMs = clocks.aheadMs(order.clientId);
          const holdMs = bank.holdMs?.(rulesOf(paymentTypes, order).posting(order.fields)) ?? 0;
          const settlementDelayMs = deps.settlementDelayMs + holdMs;
          return runStandingOrder(order, { now, aheadMs, settlementDelayMs, paymentId: randomUUID() });
        },
      });
      return taken === AT_A_TIME ? 0 : POLL_MS;
    },
    logger,
  });
}
