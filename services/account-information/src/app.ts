import { interfaceRoutes } from '@kontoport/http';
import type { App } from '@kontoport/service';
import { accountAccessRpc } from './accounts/account-access.rpc.ts';
import { accountsRoutes } from './accounts/accounts.routes.ts';
import { attachmentsRoutes } from './attachments/attachments.routes.ts';
import { putAttachmentRpc } from './attachments/put-attachment.rpc.ts';
import { consentsRpc } from './consents/consents.rpc.ts';
import { consentRetention } from './consents/retention.ts';
import type { Deps } from './deps.ts';
import { fundsConfirmationRoutes } from './funds-confirmation/funds-confirmation.routes.ts';
import { ledgerRpc } from './ledger/ledger.rpc.ts';
import { requestLogRoutes } from './request-log/request-log.routes.ts';
import { requestLogRpc } from './request-log/request-log.rpc.ts';
import { requestRetention } from './request-log/retention.ts';
import { clockRpc } from './sandbox/clock.rpc.ts';
import { sandboxRoutes } from './sandbox/sandbox.routes.ts';
import { transactionsV2Routes } from './transactions/transactions-v2.routes.ts';
import { transactionsRoutes } from './transactions/transactions.routes.ts';

/** The OpenAPI document of all services at this address. */
const document = () => import('@kontoport/proto/openapi/account-and-payment', { with: { type: 'json' } });

/** Lists everything that runs in account-information. */
export function app(deps: Deps): App {
  const { simulation } = deps;
  return {
    routes: {
      base_url: [
        ...accountsRoutes(deps),
        ...transactionsRoutes(deps),
        ...transactionsV2Routes(deps),
        ...attachmentsRoutes(deps),
        ...fundsConfirmationRoutes(deps),
        ...(simulation === undefined
          ? []
          : [...sandboxRoutes({ ...deps, simulation }), ...requestLogRoutes(deps)]),
        ...interfaceRoutes({ address: 'base_url', environment: deps.environment, load: document }),
      ],
    },
    rpcs: [
      ledgerRpc({ ...deps, putAttachment: putAttachmentRpc(deps) }),
      accountAccessRpc(deps),
      consentsRpc(deps),
      clockRpc(deps),
      ...(simulation === undefined ? [] : [requestLogRpc(deps)]),
    ],
    usage: deps.db,
    loops: [
      deps.relay,
      consentRetention(deps),
      ...(simulation === undefined ? [] : [...simulation.loops, requestRetention(deps)]),
    ],
    readiness: { database: () => deps.db.readiness() },
  };
}
