import type { Role } from '@kontoport/certificates';
import type { Language } from '@kontoport/errors';

/** What a client asks of a user (RFC 6749 §4.1.1, RFC 7636), found to be in order. */
export interface RequestedAuthorization {
  /** UUID: by it the request is decided, once. */
  authorizationId: string;
  clientId: string;
  /** Whether the client has proven that it asks (RFC 9126); anybody can ask in its name without. */
  isPushed: boolean;
  /** Of those that the client holds. */
  scopes: Role[];
  /** A string that the client has registered. */
  redirectUri: string;
  /** At most 1 KB; it goes back with every answer. */
  state?: string | undefined;
  /** base64url SHA-256 of the verifier that the token request has to show (S256). */
  codeChallenge: string;
  /** Names the user who is meant. */
  loginHint?: string | undefined;
  /** `none`: no page is to be shown. */
  prompt?: 'none' | 'login' | 'consent' | undefined;
  /** How long the consent is to last, 1 to 180. */
  consentDays: number;
  /** Of `ui_locales`. */
  language?: Language | undefined;
}

/** A request that was opened in a browser, and belongs to that browser. */
export interface AuthorizationRequest extends RequestedAuthorization {
  /** As it stands in the addresses of its pages: at most 8 KB of base64url. */
  id: string;
  /** SHA-256 of the key in the browser's cookie. */
  browserKeyHash: Buffer;
  /** Until then it can be decided. */
  expiresAt: Date;
  status: 'open' | 'approved' | 'refused';
}

/** How long a pushed request waits for a browser (RFC 9126 §2.2). */
export const PUSHED_LIFETIME_MS = 90_000;

/** How long a user has to decide. */
export const REQUEST_LIFETIME_MS = 15 * 60_000;

/** How long a code can be redeemed (RFC 6749 §4.1.2; FAPI 2.0). */
export const CODE_LIFETIME_MS = 60_000;

/** Whether the code of an approval has run out. */
export function hasCodeEnded(decidedAt: Date, now: Date): boolean {
  return decidedAt.getTime() + CODE_LIFETIME_MS <= now.getTime();
}

/** How long a consent lasts at most, and unless less is asked. */
export const LONGEST_CONSENT_DAYS = 180;

const DAY_MS = 24 * 60 * 60_000;

/** When a consent ends that is given now. */
export function consentEnd({ consentDays }: Pick<RequestedAuthorization, 'consentDays'>, now: Date): Date {
  return new Date(now.getTime() + consentDays * DAY_MS);
}

/** How long account-information is waited for: the first to ask for a client's simulated users has them made. */
export const USERS_DEADLINE_MS = 8_000;
