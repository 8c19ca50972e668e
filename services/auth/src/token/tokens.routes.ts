import { type Route, route } from '@kontoport/gate';
import { type Grants, grantToken } from './grant.ts';
import {
  type CredentialsReader,
  readTokenRequest,
  tokenBody,
  tokenBodyExample,
} from './token-request.wire.ts';
import { tokenAnswer, tokenExample, tokenToWire } from './token.wire.ts';

/** For caches of before HTTP/1.1 (RFC 6749 §5.1). */
const NOT_KEPT = { pragma: 'no-cache' } as const;

/** Tokens (§4.1). */
export function tokenRoutes<Issuer extends CredentialsReader['issuer']>(
  issuer: Issuer,
  grants: Grants<Issuer>,
): Route[] {
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
      handler: async (asked) => {
        const { certificate } = asked.proven;
        const request = readTokenRequest(asked.authorization, asked.body, { issuer, certificate });
        const issued = await grantToken(
          { issuer, grants },
          { request, certificate, requestId: asked.requestId },
          asked,
        );
        return { status: 200, headers: NOT_KEPT, json: tokenToWire(issued) };
      },
    }),
  ];
}
