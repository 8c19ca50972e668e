import type { App } from '@kontoport/service';
import { approvalsRpc } from './approvals/approvals.rpc.ts';
import { basketRoutes } from './baskets/baskets.routes.ts';
import type { Deps } from './deps.ts';
import type { PaymentTypes } from './domain/payment-types/payment-type.ts';
import { cancellationRoutes } from './drafts/cancellations.routes.ts';
import { draftRoutes } from './drafts/drafts.routes.ts';
import { pollingRoutes } from './polling/polling.routes.ts';
import { singlePaymentRoutes } from './single-payments/single-payments.routes.ts';
import { standingOrderRoutes } from './standing-orders/standing-orders.routes.ts';
import { withLazyExpiry } from './store/with-lazy-expiry.ts';
import { followApprovals } from './workers/follow-approvals.ts';
import { runStandingOrders } from './workers/run-standing-orders.ts';
import { settlePayments } from './workers/settle-payments.ts';

/** Everything that runs in payments, for these payment types. */
export function app(deps: Deps, paymentTypes: PaymentTypes): App {
  const withTypes = { ...deps, paymentTypes };
  const asked = { ...withTypes, store: withLazyExpiry(deps.store) };
  return {
    routes: {
      base_url: [
        ...basketRoutes(asked),
        ...draftRoutes(asked),
        ...cancellationRoutes(asked),
        ...singlePaymentRoutes(asked),
        ...standingOrderRoutes(asked),
        ...pollingRoutes(asked),
      ],
    },
    rpcs: [approvalsRpc(asked)],
    usage: deps.usage,
    readiness: deps.readiness,
    // Closed in reverse order: settlement and approvals first, so that their last events are published, too.
    loops: [
      ...deps.storeLoops,
      ...deps.clockLoops,
      runStandingOrders(withTypes),
      followApprovals(withTypes),
      settlePayments(withTypes),
    ],
  };
}
