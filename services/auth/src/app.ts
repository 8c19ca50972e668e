import { interfaceRoutes } from '@kontoport/http';
import type { App } from '@kontoport/service';
import { approvalRoutes } from './approvals/approvals.routes.ts';
import { authorizationPageRoutes } from './authorization/authorization-pages.routes.ts';
import { authorizationRoutes, pushRoutes } from './authorization/authorization.routes.ts';
import { consentRoutes } from './consents/consents.routes.ts';
import type { Deps } from './deps.ts';
import { deleteExpiredRows } from './expired-rows.ts';
import { metadataRoutes } from './metadata/metadata.routes.ts';
import { jwksRoutes } from './signing-keys/jwks.routes.ts';
import { deleteClientFamilies } from './token/deleted-clients.ts';
import { pendingRevocations } from './token/pending-revocations.ts';
import { revocationRoutes } from './token/revocation.routes.ts';
import { tokenRoutes } from './token/tokens.routes.ts';

const tokens = () => import('@kontoport/proto/openapi/token', { with: { type: 'json' } });
const pages = () => import('@kontoport/proto/openapi/user', { with: { type: 'json' } });

/** Lists everything that runs in auth. */
export function app(deps: Deps): App {
  const { environment } = deps;
  return {
    routes: {
      auth_url: [
        ...tokenRoutes(deps),
        ...revocationRoutes(deps),
        ...pushRoutes(deps),
        ...jwksRoutes(deps),
        ...metadataRoutes(deps),
        ...interfaceRoutes({ address: 'auth_url', environment, load: tokens }),
      ],
      user_url: [
        ...approvalRoutes(deps),
        ...authorizationRoutes(deps),
        ...authorizationPageRoutes(deps),
        ...consentRoutes(deps),
        ...interfaceRoutes({ address: 'user_url', environment, load: pages }),
      ],
    },
    usage: deps.db,
    loops: [
      deps.keyRing.rotation,
      pendingRevocations(deps),
      deleteClientFamilies(deps),
      deleteExpiredRows(deps),
    ],
    readiness: {
      database: () => deps.db.readiness(),
      'signing keys': () => deps.keyRing.readiness(new Date()),
    },
  };
}
