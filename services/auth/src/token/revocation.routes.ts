import { type Route, route } from '@kontoport/gate';
import type { AuthProfile } from '../domain/profile.model.ts';
import { readRevocationRequest, revocationBody, revocationExample } from './revocation-request.wire.ts';
import { revokeToken, type TokenRevoker } from './revoke-token.ts';

/** The end of tokens before their time (§4.1). */
export function revocationRoutes(issuer: TokenRevoker & { profile: AuthProfile }): Route[] {
  return [
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
        const request = readRevocationRequest(authorization, body, { issuer, certificate });
        await revokeToken(issuer, { ...request, certificate, requestId, now, signal });
        return { status: 200 };
      },
    }),
  ];
}
