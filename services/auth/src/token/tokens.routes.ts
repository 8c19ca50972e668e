import { type Route, route } from '@kontoport/gate';
import { grantToken } from './grant-token.ts';
import { readTokenRequest, tokenBody, tokenBodyExample } from './token-request.wire.ts';
import { tokenAnswer, tokenExample, tokenToWire } from './token.wire.ts';
import type { UserTokenIssuer } from './user-token.ts';

/** Tokens (§4.1). */
export function tokenRoutes(issuer: UserTokenIssuer): Route[] {
  return [
    route({
      method: 'POST',
      path: '/oauth2/token',
      clause: ['§4.1', '§5.3', '§5.9'],
      summary: 'Obtain an access token',
      description:
        'clientId and clientSecret as HTTP Basic credentials, over a certificate of the client. The token is bound ' +
        'to the certificate (RFC 8705) and lives no longer than it. By client_credentials, by the code of an authorization, ' +
        'or by a refresh token: then it acts under the consent of the user, does not outlive it, and the answer tells which ' +
        'accounts it opens.',
      security: { kind: 'certificate' },
      body: { form: tokenBody, example: tokenBodyExample },
      errors: 'oauth',
      answers: { 200: { description: 'The access token.', json: tokenAnswer, example: tokenExample } },
      refusals: [{ code: 'CLIENT_UNKNOWN', status: 401 }, 'RATE_LIMITED'],
      handler: async ({ body, authorization, proven, requestId, now, signal }) => {
        const issued = await grantToken(issuer, {
          request: readTokenRequest(authorization, body, issuer.profile),
          certificate: proven.certificate,
          requestId,
          now,
          signal,
        });
        return { status: 200, headers: { pragma: 'no-cache' }, json: tokenToWire(issued) };
      },
    }),
  ];
}
