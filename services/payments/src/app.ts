import type { App } from '@kontoport/service';
import { approvalsRpc } from './baskets/approvals.rpc.ts';
import { basketRoutes } from './baskets/baskets.routes.ts';
import type { Deps } from './deps.ts';
import { draftRoutes } from './drafts/drafts.routes.ts';
import { PAYMENT_TYPES, type PaymentTypes } from './payment-types/payment-types.ts';
import { settlement } from './settlement/settle-payments.ts';

/** Everything that runs in payments. */
export function app(deps: Deps, paymentTypes: PaymentTypes = PAYMENT_TYPES): App {
  const withTypes = { ...deps, paymentTypes };
  return {
    routes: { base_url: [...basketRoutes(withTypes), ...draftRoutes(withTypes)] },
    rpcs: [approvalsRpc(deps)],
    loops: [settlement(withTypes), ...deps.storeLoops],
  };
}
