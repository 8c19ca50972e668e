import { type Route, route } from '@kontoport/gate';
import type { AuthProfile } from '../domain/profile.model.ts';
import { readRevocationRequest, revocationBody, revocationExample } from './revocation-request.wire.ts';
import { revokeToken, type TokenRevoker } from './revoke-token.ts';

/** The revocation endpoint (§4.1). */
export function revocationRoutes(issuer: TokenRevoker & { profile: AuthProfile }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/oauth2/revoke',
      clause: ['§4.1', '§5.3'],
      summary: 'Revoke an access token or a refresh token',
      description:
        'RFC 7009, with the client authentication of the token endpoint. When it answers, every service refuses the token. ' +
        'A refresh token ends with all tokens of the same code. An invalid, expired or foreign token gets the same answer ' +
        'and is ignored. A client can have 200 revoked tokens that have not expired, by default (429).',
      security: { kind: 'certificate' },
      body: { form: revocationBody, example: revocationExample },
      errors: 'oauth',
      answers: { 200: { description: 'The token is not valid.' } },
      refusals: [{ code: 'CLIENT_UNKNOWN', status: 401 }, 'RATE_LIMITED'],
      handler: async ({ body, authorization, principal, requestId, now, signal, identity }) => {
        const { certificate } = principal;
        const request = readRevocationRequest(authorization, body, { issuer, certificate });
        await revokeToken(issuer, { ...request, certificate, requestId, now, signal, identity });
        return { status: 200 };
      },
    }),
  ];
}
