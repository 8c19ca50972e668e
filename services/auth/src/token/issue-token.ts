import type { Verdict } from '@kontoport/certificates';
import { thenAtOnce } from '@kontoport/runtime';
import { type AskedAt, authenticateClient, type ClientAuthenticator } from './authenticate-client.ts';
import type { ClientCredentialsRequest, IssuedToken } from './client-credentials.model.ts';
import { grantScopes } from './scope.model.ts';
import { signToken, type TokenSigner } from './sign-token.ts';

/** What issuing a token needs. */
export interface TokenIssuer extends ClientAuthenticator, TokenSigner {}

/**
 * Issues a certificate-bound access token by client credentials (§4.1; RFC 9068, RFC 8705).
 * @param options.certificate the accepted certificate over which the request came
 * @throws ApiError invalid_client, invalid_scope; RATE_LIMITED after too many wrong secrets; UNAVAILABLE when registration or the keys are away.
 */
export function issueToken(
  issuer: TokenIssuer,
  options: {
    request: ClientCredentialsRequest;
    certificate: Verdict;
    requestId: string;
  },
  asked: AskedAt,
): IssuedToken | Promise<IssuedToken> {
  const { request, certificate, requestId } = options;
  const { now } = asked;
  const shown = { credentials: request.credentials, certificate };
  return thenAtOnce(authenticateClient(issuer, shown, asked), ({ clientId, roles: clientRoles }) => {
    const scopes = grantScopes({
      requested: request.requestedScopes,
      clientRoles,
      certificateRoles: certificate.roles,
    });
    const key = issuer.keyRing.signer(now);
    return signToken(issuer, { key, clientId, subject: clientId, scopes, certificate, requestId, now });
  });
}
