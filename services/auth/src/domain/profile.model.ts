/** The security profile: `fapi2` adds the rules of FAPI 2.0 to the contract. */
export type AuthProfile = 'plain' | 'fapi2';

/** The rules that differ between profiles. All others are the same, and as strict as FAPI 2.0 requires. */
interface ProfileRules {
  /** Authorization requests must be pushed to `/oauth2/par`. */
  pushRequired: boolean;
  /** A certificate alone authenticates a client (RFC 8705 §2.1). */
  certificateAlone: boolean;
  /** A refresh returns another refresh token. FAPI 2.0 forbids that for certificate-bound clients. */
  refreshTokensRotate: boolean;
}

export const PROFILES: Readonly<Record<AuthProfile, ProfileRules>> = {
  plain: { pushRequired: false, certificateAlone: false, refreshTokensRotate: true },
  fapi2: { pushRequired: true, certificateAlone: true, refreshTokensRotate: false },
};
