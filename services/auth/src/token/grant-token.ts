import type { Verdict } from '@kontoport/certificates';
import type { IssuedToken, TokenRequest } from './client-credentials.model.ts';
import { issueToken } from './issue-token.ts';
import { redeemCode } from './redeem-code.ts';
import { refreshToken } from './refresh-token.ts';
import type { UserTokenIssuer } from './user-token.ts';

/** Issues what a token request asks for, by its grant (§4.1, §5.9). @throws ApiError as the grants do */
export function grantToken(
  issuer: UserTokenIssuer,
  options: { request: TokenRequest; certificate: Verdict; requestId: string; now: Date; signal: AbortSignal },
): Promise<IssuedToken> {
  const { request } = options;
  if (request.grantType === 'authorization_code') return redeemCode(issuer, { ...options, request });
  if (request.grantType === 'refresh_token') return refreshToken(issuer, { ...options, request });
  return issueToken(issuer, { ...options, request });
}
