import { type AccessToken, route, type Route } from '@kontoport/gate';
import type { Deps } from '../deps.ts';
import { clientUnknown } from './client.model.ts';
import { findClient } from './client.repository.ts';
import { registrationSchema, toClientJson } from './client.wire.ts';
import { deleteClient } from './delete-client.ts';
import { registerClient } from './register-client.ts';

/** Registration and client management (specification §4.2). */
export function clientRoutes(deps: Deps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/tpp',
      security: { kind: 'certificate', certificateRefusal: 403 },
      body: { json: registrationSchema({ loopbackHttp: deps.loopbackHttp }) },
      handler: async ({ proven, body, headers, requestId, now, signal }) => ({
        status: 201,
        json: await registerClient(deps, {
          registration: body,
          certificate: proven.certificate,
          requestId: headers['x-request-id'] === undefined ? undefined : requestId,
          now,
          signal,
        }),
      }),
    }),
    route({
      method: 'GET',
      path: '/tpp/:clientId',
      security: { kind: 'token' },
      handler: async ({ proven, params }) => {
        const client = await findClient(deps.prisma, ownClientId(params, proven.token));
        if (!client) throw clientUnknown();
        return { status: 200, json: toClientJson(client) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/tpp/:clientId',
      security: { kind: 'token', deletedClient: 'allowed' },
      handler: async ({ proven, params, now, signal }) => {
        await deleteClient(deps, { clientId: ownClientId(params, proven.token), now, signal });
        return { status: 204 };
      },
    }),
  ];
}

/**
 * The client of the path, which must be the token's own.
 * @throws ApiError CLIENT_UNKNOWN (404), the same for another's client and for none (specification §5, item 5).
 */
function ownClientId(params: Readonly<Record<string, string>>, token: AccessToken): string {
  if (params.clientId?.toLowerCase() !== token.clientId) throw clientUnknown();
  return token.clientId;
}
