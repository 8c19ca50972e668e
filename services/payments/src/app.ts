import type { App } from '@kontoport/service';
import { approvalsRpc } from './approvals/approvals.rpc.ts';
import { followApprovals } from './approvals/follow-approvals.ts';
import { basketRoutes } from './baskets/baskets.routes.ts';
import type { Deps } from './deps.ts';
import { draftRoutes } from './drafts/drafts.routes.ts';
import type { PaymentTypes } from './payment-types/payment-type.ts';
import { settlePayments } from './settlement/settle-payments.ts';

/** Everything that runs in payments, for these payment types. */
export function app(deps: Deps, paymentTypes: PaymentTypes): App {
  const withTypes = { ...deps, paymentTypes };
  return {
    routes: { base_url: [...basketRoutes(withTypes), ...draftRoutes(withTypes)] },
    rpcs: [approvalsRpc(withTypes)],
    readiness: deps.readiness,
    // Settlement and approvals are closed first: their last outcomes are told, too.
    loops: [...deps.storeLoops, followApprovals(withTypes), settlePayments(withTypes)],
  };
}
