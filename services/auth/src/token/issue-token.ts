import {
  authenticateClient,
  type ClientAuthenticator,
} from '../client-authentication/authenticate-client.ts';
import type {
  AskedAt,
  ClientCredentialsRequest,
  IssuedToken,
} from '../client-authentication/client-credentials.model.ts';
import type { Asked } from './grant.ts';
import { grantScopes } from './scope.model.ts';
import { signToken, type TokenSigner } from './sign-token.ts';

/** What issuing a token needs. */
export interface TokenIssuer extends ClientAuthenticator, TokenSigner {}

/**
 * Issues a certificate-bound access token by client credentials (§4.1; RFC 9068, RFC 8705).
 * @throws ApiError invalid_client, invalid_scope; RATE_LIMITED after too many wrong secrets; UNAVAILABLE when registration or the keys are away.
 */
export async function issueToken(
  issuer: TokenIssuer,
  { request, certificate, requestId }: Asked<ClientCredentialsRequest>,
  at: AskedAt,
): Promise<IssuedToken> {
  const { now } = at;
  const shown = { credentials: request.credentials, certificate };
  const { clientId, roles: clientRoles } = await authenticateClient(issuer, shown, at);
  const scopes = grantScopes({
    requested: request.requestedScopes,
    clientRoles,
    certificateRoles: certificate.roles,
  });
  const key = issuer.keyRing.signer(now);
  return signToken(issuer, { key, clientId, subject: clientId, scopes, certificate, requestId, now });
}
