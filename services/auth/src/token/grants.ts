import type { CallContext } from '../client-authentication/client-credentials.model.ts';
import { issueToken } from './issue-token.ts';
import { redeemCode } from './redeem-code.ts';
import { refreshToken } from './refresh-token.ts';
import type { GrantRequest, IssuedToken, TokenRequest } from './token-request.model.ts';
import type { UserTokenIssuer } from './user-token.ts';

type RequestOf<Type> = Extract<TokenRequest, { grantType: Type }>;

/**
 * Issues a token by one grant (RFC 6749 §1.3).
 * @throws ApiError invalid_client, invalid_grant, invalid_scope; RATE_LIMITED after too many failures; UNAVAILABLE, which leaves the
 * code or refresh token valid
 */
type Grant<Type> = (
  issuer: UserTokenIssuer,
  request: GrantRequest<RequestOf<Type>>,
  context: CallContext,
) => Promise<IssuedToken>;

/** The grants of the token endpoint (§4.1, §5.9). */
const GRANTS: { readonly [Type in TokenRequest['grantType']]: Grant<Type> } = {
  client_credentials: issueToken,
  authorization_code: redeemCode,
  refresh_token: refreshToken,
};

/** Issues the requested token. @throws ApiError as `Grant` */
export function issueByGrant<Type extends TokenRequest['grantType']>(
  issuer: UserTokenIssuer,
  request: GrantRequest<RequestOf<Type> & { grantType: Type }>,
  context: CallContext,
): Promise<IssuedToken> {
  return GRANTS[request.request.grantType](issuer, request, context);
}
