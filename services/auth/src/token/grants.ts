import type { Grants } from './grant.ts';
import { issueToken } from './issue-token.ts';
import { redeemCode } from './redeem-code.ts';
import { refreshToken } from './refresh-token.ts';
import type { UserTokenIssuer } from './user-token.ts';

/** What the token endpoint grants (§4.1, §5.9). */
export const GRANTS: Grants<UserTokenIssuer> = {
  client_credentials: issueToken,
  authorization_code: redeemCode,
  refresh_token: refreshToken,
};
