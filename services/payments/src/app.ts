import type { Rpc } from '@kontoport/grpc';
import type { Route } from '@kontoport/gate';
import { approvalsRpc } from './baskets/approvals.rpc.ts';
import { basketRoutes } from './baskets/baskets.routes.ts';
import type { Deps } from './deps.ts';
import { draftRoutes } from './drafts/drafts.routes.ts';

/** All entry points of the service. */
export function app(
  deps: Pick<
    Deps,
    'store' | 'paymentTypes' | 'findAccount' | 'authenticateUser' | 'settlementDelayMs' | 'userUrl' | 'logger'
  >,
): {
  routes: Route[];
  rpcs: Rpc[];
} {
  return {
    routes: [...basketRoutes(deps), ...draftRoutes(deps)],
    rpcs: [approvalsRpc(deps)],
  };
}
