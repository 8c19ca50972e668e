import { type AccessToken, route, type Route } from '@kontoport/gate';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { clientUnknown, requireOwnClient } from './client.model.ts';
import { findClient } from './client.repository.ts';
import {
  clientAnswer,
  clientExample,
  clientToWire,
  registeredAnswer,
  registeredExample,
  registrationBody,
  registrationExample,
} from './client.wire.ts';
import { deleteClient } from './delete-client.ts';
import { registerClient, type RegisterClientDeps } from './register-client.ts';

/** The client of the path, which must be the token's own (§5.5). */
const ownClient = {
  params: z.object({ clientId: uuid }),
  unknown: clientUnknown,
  resource: async ({ params, proven }: { params: { clientId: string }; proven: { token: AccessToken } }) =>
    requireOwnClient(params.clientId, proven.token.clientId),
};

/** What managing clients needs. */
interface ClientDeps extends RegisterClientDeps {
  /** Whether redirect URIs may be http on localhost: during development only (§2.1). */
  loopbackHttp: boolean;
}

/** Registration and client management (§4.2). */
export function clientRoutes(deps: ClientDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/tpp',
      clause: ['§4.2', '§2.1', '§5.2'],
      summary: 'Register a client over its certificate',
      description:
        'The roles asked for must be among those of the certificate. With an X-Request-Id the call can be ' +
        'repeated for 30 days: the same body gets the same client, without the secret.',
      security: { kind: 'certificate', certificateRefusal: 403 },
      body: {
        json: registrationBody({ loopbackHttp: deps.loopbackHttp }),
        example: registrationExample,
      },
      answers: {
        201: { description: 'The client.', json: registeredAnswer, example: registeredExample },
      },
      refusals: ['ROLE_INVALID', 'IDEMPOTENCY_CONFLICT'],
      handler: async ({ proven, body, givenRequestId, now, signal }) => ({
        status: 201,
        json: await registerClient(deps, {
          registration: body,
          certificate: proven.certificate,
          requestId: givenRequestId,
          now,
          signal,
        }),
      }),
    }),
    route({
      method: 'GET',
      path: '/tpp/:clientId',
      clause: ['§4.2', '§2.1'],
      summary: 'Read the client',
      security: { kind: 'token' },
      ...ownClient,
      answers: { 200: { description: 'The client.', json: clientAnswer, example: clientExample } },
      handler: async ({ resource: clientId }) => {
        const client = await findClient(deps.db, clientId);
        if (!client) throw clientUnknown();
        return { status: 200, json: clientToWire(client) };
      },
    }),
    route({
      method: 'DELETE',
      path: '/tpp/:clientId',
      clause: ['§4.2', '§5.5'],
      summary: 'Delete the client',
      description:
        'Answered when no service decides for the client any more: it gets no tokens, and those it has are worth ' +
        'nothing. The repetition is 204 as long as the token would have lived, later 401.',
      security: { kind: 'token', deletedClient: 'allowed' },
      ...ownClient,
      answers: { 204: { description: 'The client is deleted.' } },
      handler: async ({ resource: clientId, now, signal }) => {
        await deleteClient(deps, { clientId, now, signal });
        return { status: 204 };
      },
    }),
  ];
}
