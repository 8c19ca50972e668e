import type { QueuedLimiter } from '@kontoport/fairness';
import { route, type Route } from '@kontoport/gate';
import type { Logger } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { clientAnswer, clientExample, clientToWire, ownClient, redirectsBody } from './client.wire.ts';
import type { RegistrationLimits } from './registration-limits.model.ts';
import { replaceRedirectUris } from './replace-redirect-uris.ts';

/** The redirect URIs of a client (§4.2). */
export function redirectUriRoutes(deps: {
  db: Db;
  hub: { wake(): void };
  limits: RegistrationLimits;
  /** Whether redirect URIs may be http on localhost: during development only (§2.1). */
  loopbackHttp: boolean;
  logger: Logger;
  changes: QueuedLimiter;
}): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/tpp/:clientId/redirect-uris',
      clause: ['§4.2', '§2.1', '§5.5'],
      summary: 'Replace the redirect URIs of the client',
      description:
        'They replace all others. The answer comes when no service accepts a removed URI any more. Unless ' +
        'configured otherwise a client has at most 20, of 10,000 characters in all (409).',
      security: { kind: 'token' },
      ...ownClient,
      body: {
        json: redirectsBody({ loopbackHttp: deps.loopbackHttp }),
        example: { redirectUris: clientExample.redirectUris },
      },
      answers: {
        200: { description: 'The present client.', json: clientAnswer, example: clientExample },
      },
      refusals: ['STATUS_INVALID', 'RATE_LIMITED'],
      handler: async ({ principal, resource: clientId, body, now, signal }) => {
        const replace = () => replaceRedirectUris(deps, { clientId, ...body, now, signal });
        return {
          status: 200,
          json: clientToWire(
            await deps.changes.run(principal.certificate.organization.identifier, replace, { signal }),
          ),
        };
      },
    }),
  ];
}
