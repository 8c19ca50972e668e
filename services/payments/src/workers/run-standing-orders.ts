import { randomUUID } from 'node:crypto';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { ClientClocks } from '../clocks/client-clocks.ts';
import type { PaymentStore } from '../domain/ports/payment-store.ts';
import { runStandingOrder } from '../domain/standing-order.model.ts';

const POLL_MS = 250;
const AT_A_TIME = 100;

/** Creates the payments of due standing orders (§4.5); they are settled like all others. */
export function runStandingOrders(deps: {
  store: PaymentStore;
  clocks: ClientClocks;
  settlementDelayMs: number;
  logger: Logger;
}): Loop {
  const { store, clocks, settlementDelayMs, logger } = deps;
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
          return runStandingOrder(order, { now, aheadMs, settlementDelayMs, paymentId: randomUUID() });
        },
      });
      return taken === AT_A_TIME ? 0 : POLL_MS;
    },
    logger,
  });
}
