import type { QueuedLimiter } from '@kontoport/fairness';
import { route, type Route } from '@kontoport/gate';
import { addCertificate, type AddCertificateDeps } from './add-certificate.ts';
import {
  certificateBody,
  certificateExample,
  clientAnswer,
  clientExample,
  clientToWire,
  ownClient,
} from './client.wire.ts';

/** The certificates of a client (§4.2). */
export function certificateRoutes(deps: AddCertificateDeps & { changes: QueuedLimiter }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/tpp/:clientId/certificates',
      clause: ['§4.2', '§2.1', '§5.5'],
      summary: 'Add a certificate to the client',
      description:
        'A chain in PEM: the leaf first, after each certificate its issuer, the trust anchor last. The leaf is a QWAC of the ' +
        'same organization, whose roles are among those of the client. Call over a certificate that the client already ' +
        'has; the same certificate again is 201 and adds nothing. Unless configured otherwise a client has at most 20 chains that ' +
        'have not ended (409).',
      security: { kind: 'token' },
      ...ownClient,
      body: { json: certificateBody, example: certificateExample },
      answers: {
        201: { description: 'The present client.', json: clientAnswer, example: clientExample },
      },
      refusals: [
        { code: 'CERTIFICATE_INVALID', status: 403 },
        { code: 'CERTIFICATE_EXPIRED', status: 403 },
        { code: 'CERTIFICATE_REVOKED', status: 403 },
        'ROLE_INVALID',
        'STATUS_INVALID',
        'RATE_LIMITED',
      ],
      handler: async ({ principal, resource: clientId, body, now, signal }) => {
        const add = () => addCertificate(deps, { clientId, ...body, now, signal });
        return {
          status: 201,
          json: clientToWire(
            await deps.changes.run(principal.certificate.organization.identifier, add, { signal }),
          ),
        };
      },
    }),
  ];
}
