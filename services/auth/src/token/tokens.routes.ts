import { type Route, route } from '@kontoport/gate';
import { issueByGrant } from './grants.ts';
import { readTokenRequest, tokenBody, tokenBodyExample } from './token-request.wire.ts';
import { tokenAnswer, tokenExample, tokenToWire } from './token.wire.ts';
import type { UserTokenIssuer } from './user-token.ts';

/** For HTTP/1.0 caches (RFC 6749 §5.1). */
const NO_CACHE = { pragma: 'no-cache' } as const;

/** Tokens (§4.1). */
export function tokenRoutes(issuer: UserTokenIssuer): Route[] {
  return [
    route({
      method: 'POST',
      path: '/oauth2/token',
      clause: ['§4.1', '§5.3', '§5.9'],
      summary: 'Obtain an access token',
      description:
        'Send clientId and clientSecret as HTTP Basic credentials, over a certificate of the client. The token is bound ' +
        'to the certificate (RFC 8705) and expires with it at the latest. The grants are client_credentials, ' +
        'authorization_code and refresh_token. The last two act under the consent of a user: the token expires with the ' +
        'consent, and the answer lists the accounts that it opens.',
      security: { kind: 'certificate' },
      body: { form: tokenBody, example: tokenBodyExample },
      errors: 'oauth',
      answers: { 200: { description: 'The access token.', json: tokenAnswer, example: tokenExample } },
      refusals: [{ code: 'CLIENT_UNKNOWN', status: 401 }, 'RATE_LIMITED'],
      handler: async (request) => {
        const { principal, authorization, body, requestId } = request;
        const { certificate } = principal;
        const tokenRequest = readTokenRequest(authorization, body, { issuer, certificate });
        const issued = await issueByGrant(issuer, { request: tokenRequest, certificate, requestId }, request);
        return { status: 200, headers: NO_CACHE, json: tokenToWire(issued) };
      },
    }),
  ];
}
