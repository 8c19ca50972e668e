import { interfaceRoutes } from '@kontoport/http';
import type { App } from '@kontoport/service';
import { clientRoutes } from './clients/clients.routes.ts';
import { forgetRequests } from './clients/forget-requests.ts';
import { credentialsRpc } from './credentials/credentials.rpc.ts';
import type { Deps } from './deps.ts';
import { directoryRpc } from './directory/directory.rpc.ts';

const document = () => import('@kontoport/proto/openapi/registration', { with: { type: 'json' } });

/** Everything that runs in registration. */
export function app(deps: Deps): App {
  return {
    routes: {
      registration_url: [
        ...clientRoutes(deps),
        ...interfaceRoutes({ address: 'registration_url', environment: deps.environment, load: document }),
      ],
    },
    rpcs: [directoryRpc({ hub: deps.hub, own: deps.directory }), credentialsRpc(deps)],
    loops: [...deps.hub.loops, forgetRequests(deps)],
    readiness: {
      database: () => deps.db.readiness(),
      clients: () => deps.hub.readiness(),
    },
  };
}
