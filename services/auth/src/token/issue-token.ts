import {
  authenticateClient,
  type ClientAuthenticator,
} from '../client-authentication/authenticate-client.ts';
import type { CallContext } from '../client-authentication/client-credentials.model.ts';
import { grantScopes } from './scope.model.ts';
import { signToken, type TokenSigner } from './sign-token.ts';
import type { ClientCredentialsRequest, GrantRequest, IssuedToken } from './token-request.model.ts';

/** Dependencies for issuing a token. */
export interface TokenIssuer extends ClientAuthenticator, TokenSigner {}

/**
 * Issues a certificate-bound access token by client credentials (§4.1; RFC 9068, RFC 8705).
 * @throws ApiError invalid_client, invalid_scope; RATE_LIMITED after too many failures; UNAVAILABLE without registration or keys
 */
export async function issueToken(
  issuer: TokenIssuer,
  { request, certificate, requestId }: GrantRequest<ClientCredentialsRequest>,
  context: CallContext,
): Promise<IssuedToken> {
  const { now } = context;
  const presented = { credentials: request.credentials, certificate };
  const { clientId, roles: clientRoles } = await authenticateClient(issuer, presented, context);
  const scopes = grantScopes({
    requested: request.requestedScopes,
    clientRoles,
    certificateRoles: certificate.roles,
  });
  const key = issuer.keyRing.signer(now);
  return signToken(issuer, { key, clientId, subject: clientId, scopes, certificate, requestId, now });
}
