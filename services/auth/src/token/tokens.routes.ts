import { type Route, route } from '@kontoport/gate';
import { grantToken } from './grant-token.ts';
import { readRevocationRequest, revocationBody, revocationExample } from './revocation-request.wire.ts';
import { revokeToken, type TokenRevoker } from './revoke-token.ts';
import { readTokenRequest, tokenBody, tokenBodyExample } from './token-request.wire.ts';
import { tokenAnswer, tokenExample, tokenToWire } from './token.wire.ts';
import type { UserTokenIssuer } from './user-token.ts';

/** Tokens, and their end before their time (§4.1). */
export function tokenRoutes(issuer: UserTokenIssuer & TokenRevoker): Route[] {
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
    route({
      method: 'POST',
      path: '/oauth2/revoke',
      clause: ['§4.1', '§5.3'],
      summary: 'Revoke an access token or a refresh token',
      description:
        'RFC 7009, with the authentication of the token endpoint. Answered when no service takes the token any more; a refresh ' +
        'token ends with all that came from the same code. What ' +
        'is no token, has ended or belongs to another client is left as it is, with the same answer. Unless configured ' +
        'otherwise, a client has at most 200 revoked tokens that have not ended (429).',
      security: { kind: 'certificate' },
      body: { form: revocationBody, example: revocationExample },
      errors: 'oauth',
      answers: { 200: { description: 'The token is worth nothing.' } },
      refusals: [{ code: 'CLIENT_UNKNOWN', status: 401 }, 'RATE_LIMITED'],
      handler: async ({ body, authorization, proven, requestId, now, signal }) => {
        const { certificate } = proven;
        const request = readRevocationRequest(authorization, body, issuer.profile);
        await revokeToken(issuer, { ...request, certificate, requestId, now, signal });
        return { status: 200 };
      },
    }),
  ];
}
