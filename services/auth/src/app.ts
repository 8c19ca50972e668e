import { databaseReady } from '@kontoport/database';
import type { App } from '@kontoport/service';
import { approvalRoutes } from './approvals/approval.routes.ts';
import type { Deps } from './deps.ts';
import { metadataRoutes } from './metadata/metadata.routes.ts';
import { jwksRoutes } from './signing-keys/jwks.routes.ts';
import { tokenRoutes } from './token/token.routes.ts';

/** Everything that runs in auth. */
export function app(deps: Deps): App {
  return {
    routes: {
      auth_url: [...tokenRoutes(deps), ...jwksRoutes(deps), ...metadataRoutes(deps)],
      user_url: [...approvalRoutes(deps)],
    },
    loops: [deps.keyRing.rotation],
    readiness: {
      database: () => databaseReady(deps.pool),
      'signing keys': () => deps.keyRing.readiness(new Date()),
    },
  };
}
