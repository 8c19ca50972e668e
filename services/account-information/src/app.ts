import type { Rpc } from '@kontoport/grpc';
import type { Route } from '@kontoport/gate';
import { accountAccessRpc } from './accounts/account-access.rpc.ts';
import { accountsRoutes } from './accounts/accounts.routes.ts';
import { consentsRpc } from './consents/consents.rpc.ts';
import type { Deps } from './deps.ts';
import { ledgerRpc } from './ledger/ledger.rpc.ts';
import { transactionsV2Routes } from './transactions/transactions-v2.routes.ts';

/** Every entry point of the service. */
export function app(deps: Deps): { routes: Route[]; rpcs: Rpc[] } {
  return {
    routes: [...accountsRoutes(deps), ...transactionsV2Routes(deps)],
    rpcs: [ledgerRpc(deps), accountAccessRpc(deps), consentsRpc(deps)],
  };
}
