/** Which rules hold beside those of the contract: `fapi2` is the security profile of FAPI 2.0. */
export type AuthProfile = 'plain' | 'fapi2';

/** What each profile changes; all else is the same, and no weaker than the stricter one. */
export interface ProfileRules {
  /** Authorization requests come by `/oauth2/par` alone. */
  pushRequired: boolean;
  /** A client may prove itself by its certificate alone (RFC 8705 §2.1). */
  certificateAlone: boolean;
  /** A refresh gives another refresh token; FAPI 2.0 wants the same one to stay, for clients that are bound to a certificate. */
  refreshTokensRotate: boolean;
}

export const PROFILES: Readonly<Record<AuthProfile, ProfileRules>> = {
  plain: { pushRequired: false, certificateAlone: false, refreshTokensRotate: true },
  fapi2: { pushRequired: true, certificateAlone: true, refreshTokensRotate: false },
};
