import type { Verdict } from '@kontoport/certificates';
import type { AskedAt } from './authenticate-client.ts';
import type { IssuedToken, TokenRequest } from './client-credentials.model.ts';
import { issueToken } from './issue-token.ts';
import { redeemCode } from './redeem-code.ts';
import { refreshToken } from './refresh-token.ts';
import type { UserTokenIssuer } from './user-token.ts';

/** Issues what a token request asks for, by its grant (§4.1, §5.9). @throws ApiError as the grants do */
export function grantToken(
  issuer: UserTokenIssuer,
  { request, certificate, requestId }: { request: TokenRequest; certificate: Verdict; requestId: string },
  asked: AskedAt,
): IssuedToken | Promise<IssuedToken> {
  if (request.grantType === 'client_credentials')
    return issueToken(issuer, { request, certificate, requestId }, asked);
  const { now, signal } = asked;
  return request.grantType === 'authorization_code'
    ? redeemCode(issuer, { request, certificate, requestId, now, signal })
    : refreshToken(issuer, { request, certificate, requestId, now, signal });
}
