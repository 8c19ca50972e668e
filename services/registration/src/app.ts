import type { Rpc } from '@kontoport/grpc';
import type { Route } from '@kontoport/gate';
import { clientRoutes } from './client/client.routes.ts';
import { credentialsRpc } from './credentials/credentials.rpc.ts';
import type { Deps } from './deps.ts';
import { directoryRpc } from './directory/directory.rpc.ts';

/** All entry points of registration. */
export function app(deps: Deps): { routes: Route[]; rpcs: Rpc[] } {
  return {
    routes: [...clientRoutes(deps)],
    rpcs: [directoryRpc(deps.hub), credentialsRpc(deps)],
  };
}
