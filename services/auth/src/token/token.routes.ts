import { type Route, route } from '@kontoport/gate';
import { issueToken, type TokenIssuer } from './issue-token.ts';
import { readTokenRequest, tokenForm } from './token-request.wire.ts';

/** The token endpoint (specification §4.1). */
export function tokenRoutes(issuer: TokenIssuer): Route[] {
  return [
    route({
      method: 'POST',
      path: '/oauth2/token',
      security: { kind: 'certificate' },
      body: { form: tokenForm },
      errors: 'oauth',
      handler: async ({ body, headers, proven, requestId, now, signal }) => {
        const { accessToken, expiresIn, scope } = await issueToken(issuer, {
          request: readTokenRequest(headers, body),
          certificate: proven.certificate,
          requestId,
          now,
          signal,
        });
        return {
          status: 200,
          headers: { pragma: 'no-cache' },
          json: { access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, scope },
        };
      },
    }),
  ];
}
