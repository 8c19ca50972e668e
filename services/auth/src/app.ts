import type { Route } from '@kontoport/gate';
import { approvalRoutes } from './approvals/approval.routes.ts';
import type { Deps } from './deps.ts';
import { metadataRoutes } from './metadata/metadata.routes.ts';
import { jwksRoutes } from './signing-keys/jwks.routes.ts';
import { tokenRoutes } from './token/token.routes.ts';

/** All entry points of auth. */
export function app(deps: Omit<Deps, 'pool' | 'gate'>): { routes: Route[] } {
  return {
    routes: [
      ...tokenRoutes(deps), // POST /oauth2/token
      ...jwksRoutes(deps), // GET /.well-known/jwks.json
      ...metadataRoutes(deps), // GET /.well-known/oauth-authorization-server
      ...approvalRoutes(deps), // GET /approvals/:approvalId
    ],
  };
}
