import type { QueuedLimiter } from '@kontoport/fairness';
import { route, type Route } from '@kontoport/gate';
import { clientUnknown } from './client.model.ts';
import { findClient } from './client.repository.ts';
import {
  clientAnswer,
  clientExample,
  clientToWire,
  ownClient,
  registeredAnswer,
  registeredExample,
  registrationBody,
  registrationExample,
} from './client.wire.ts';
import { deleteClient } from './delete-client.ts';
import { registerClient, type RegisterClientDeps } from './register-client.ts';

/** Dependencies of the routes. */
interface ClientDeps extends RegisterClientDeps {
  /** Whether redirect URIs may be http on localhost: during development only (§2.1). */
  loopbackHttp: boolean;
  changes: QueuedLimiter;
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
        'The requested roles must be among those of the certificate. With an X-Request-Id the call can be ' +
        'repeated for 30 days: the same body gets the same client, without the secret unless its first answer was never sent. ' +
        'Unless configured otherwise, an ' +
        'organization has at most 1,000 clients, a client 20 redirect URIs of 10,000 characters in all (409), and an ' +
        'organization registers 300 times a minute, and not while 10,000 of its clients were deleted in 30 days (429). ' +
        'A client that requests no token within 30 days is deleted.',
      security: { kind: 'certificate', certificateRefusal: 403 },
      body: {
        json: registrationBody({ loopbackHttp: deps.loopbackHttp }),
        example: registrationExample,
      },
      answers: {
        201: { description: 'The client.', json: registeredAnswer, example: registeredExample },
      },
      refusals: ['ROLE_INVALID', 'IDEMPOTENCY_CONFLICT', 'STATUS_INVALID', 'RATE_LIMITED'],
      handler: async ({ principal, body, givenRequestId, now, signal }) => {
        const { certificate } = principal;
        const register = () =>
          registerClient(deps, { registration: body, certificate, requestId: givenRequestId, now, signal });
        const { delivered, ...json } = await deps.changes.run(
          principal.certificate.organization.identifier,
          register,
          { signal },
        );
        return { status: 201, json, ...(delivered === undefined ? {} : { delivered }) };
      },
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
        'The answer comes when no service accepts the client any more: it gets no tokens, and its tokens are invalid. ' +
        'A repetition is 204 until the token would have expired, later 401.',
      security: { kind: 'token', deletedClient: 'allowed' },
      ...ownClient,
      answers: { 204: { description: 'The client is deleted.' } },
      refusals: ['RATE_LIMITED'],
      handler: async ({ principal, resource: clientId, now, signal }) => {
        await deps.changes.run(
          principal.certificate.organization.identifier,
          () => deleteClient(deps, { clientId, now, signal }),
          { signal },
        );
        return { status: 204 };
      },
    }),
  ];
}
