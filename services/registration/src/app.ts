import { interfaceRoutes } from '@kontoport/http';
import type { App } from '@kontoport/service';
import { certificateRoutes } from './clients/certificates.routes.ts';
import { clientRoutes } from './clients/clients.routes.ts';
import { displayNameRoutes } from './clients/display-name.routes.ts';
import { redirectUriRoutes } from './clients/redirect-uris.routes.ts';
import { retentionLoops } from './clients/retention.ts';
import { countSecrets } from './credentials/count-secrets.ts';
import { credentialsRpc } from './credentials/credentials.rpc.ts';
import type { Deps } from './deps.ts';
import { directoryRpc } from './directory/directory.rpc.ts';

/** Since 0.3.0 is the version of the interface (§9.3). */
const deprecated = { since: new Date('2026-11-22T00:00:00Z'), link: '/' };

const earlier = [
  {
    version: '0.1.0',
    deprecated,
    load: () => import('@kontoport/proto/openapi/earlier/registration-0.1.0', { with: { type: 'json' } }),
  },
  {
    version: '0.2.0',
    deprecated,
    load: () => import('@kontoport/proto/openapi/earlier/registration-0.2.0', { with: { type: 'json' } }),
  },
];

const document = () => import('@kontoport/proto/openapi/registration', { with: { type: 'json' } });

/** Lists everything that runs in registration. */
export function app(deps: Deps): App {
  const secrets = countSecrets(deps);
  return {
    routes: {
      registration_url: [
        ...clientRoutes(deps),
        ...redirectUriRoutes(deps),
        ...certificateRoutes(deps),
        ...displayNameRoutes(deps),
        ...interfaceRoutes({
          address: 'registration_url',
          environment: deps.environment,
          load: document,
          earlier,
        }),
      ],
    },
    rpcs: [directoryRpc({ hub: deps.hub, own: deps.directory }), credentialsRpc(deps)],
    usage: deps.db,
    loops: [deps.relay, ...deps.hub.loops, ...retentionLoops(deps), secrets.loop],
    readiness: {
      database: () => deps.db.readiness(),
      clients: () => deps.hub.readiness(),
      'client secrets': () => secrets.readiness(),
    },
  };
}
