import { type Route, route } from '@kontoport/gate';
import { issueToken, type TokenIssuer } from './issue-token.ts';
import { readTokenRequest, tokenBody, tokenBodyExample } from './token-request.wire.ts';
import { tokenAnswer, tokenExample, tokenToWire } from './token.wire.ts';

/** The token endpoint (§4.1). */
export function tokenRoutes(issuer: TokenIssuer): Route[] {
  return [
    route({
      method: 'POST',
      path: '/oauth2/token',
      clause: ['§4.1', '§5.3'],
      summary: 'Obtain an access token by client credentials',
      description:
        'clientId and clientSecret as HTTP Basic credentials, over a certificate of the client. The token is bound ' +
        'to the certificate (RFC 8705) and lives no longer than it.',
      security: { kind: 'certificate' },
      body: { form: tokenBody, example: tokenBodyExample },
      errors: 'oauth',
      answers: { 200: { description: 'The access token.', json: tokenAnswer, example: tokenExample } },
      refusals: [{ code: 'CLIENT_UNKNOWN', status: 401 }],
      handler: async ({ body, headers, proven, requestId, now, signal }) => {
        const issued = await issueToken(issuer, {
          request: readTokenRequest(headers, body),
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
