import type { Role } from '@kontoport/certificates';
import type { Language } from '@kontoport/errors';

/** A valid authorization request (RFC 6749 §4.1.1, RFC 7636). */
export interface RequestedAuthorization {
  /** A UUID, which allows one decision per request. */
  authorizationId: string;
  clientId: string;
  /** True if the client pushed the request itself (RFC 9126); anybody can make one that was not pushed. */
  isPushed: boolean;
  /** Roles of the client. */
  scopes: Role[];
  /** A registered redirect URI. */
  redirectUri: string;
  /** At most 1 KB; every answer returns it. */
  state?: string | undefined;
  /** The base64url SHA-256 of the verifier that the token request must hold (S256). */
  codeChallenge: string;
  /** Identifies the expected user. */
  loginHint?: string | undefined;
  /** `none`: without a page. */
  prompt?: 'none' | 'login' | 'consent' | undefined;
  /** The duration of the consent, 1 to 180 days. */
  consentDays: number;
  /** From `ui_locales`. */
  language?: Language | undefined;
}

/** A request that a browser has opened. Only that browser can answer it. */
export interface AuthorizationRequest extends RequestedAuthorization {
  /** The sealed request in the addresses of its pages: at most 8 KB of base64url. */
  id: string;
  /** The SHA-256 of the browser's key. */
  browserKeyHash: Buffer;
  /** The end of the user's time to decide. */
  expiresAt: Date;
  status: 'open' | 'approved' | 'refused';
}

/** The time to open a pushed request in a browser (RFC 9126 §2.2). */
export const PUSHED_LIFETIME_MS = 90_000;

/** The time for a user's decision. */
export const REQUEST_LIFETIME_MS = 15 * 60_000;

/** The lifetime of a code (RFC 6749 §4.1.2; FAPI 2.0). */
export const CODE_LIFETIME_MS = 60_000;

/** Checks that the code of an approval has expired. */
export function hasCodeEnded(decidedAt: Date, now: Date): boolean {
  return decidedAt.getTime() + CODE_LIFETIME_MS <= now.getTime();
}

/** The longest duration of a consent, and the default. */
export const LONGEST_CONSENT_DAYS = 180;

const DAY_MS = 24 * 60 * 60_000;

/** Returns the end of a consent that is given now. */
export function consentEnd({ consentDays }: Pick<RequestedAuthorization, 'consentDays'>, now: Date): Date {
  return new Date(now.getTime() + consentDays * DAY_MS);
}
