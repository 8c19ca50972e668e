import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@kontoport/errors';
import { PAGE_TEXTS } from '../pages/texts.ts';

/** The binding of a form token. */
export interface TokenBinding {
  /** A key of the server: with the browser's own secret alone, its user could forge tokens of other users. */
  key: Uint8Array;
  /** The secret of a cookie, which no other site can read. */
  secret: string;
  /** The action, and the values that the token covers. */
  about: readonly string[];
}

/** Makes the token that proves that a form came from our page, in this browser. */
export function formToken({ key, secret, about }: TokenBinding): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([secret, ...about]))
    .digest('base64url');
}

/** Compares tokens in constant time. */
export function isFormToken(given: string, expected: string): boolean {
  const [actual, wanted] = [Buffer.from(given), Buffer.from(expected)];
  return actual.length === wanted.length && timingSafeEqual(actual, wanted);
}

/**
 * Refuses a form from another site, by the browser's headers. Forms without these headers pass, and so does the origin `null`,
 * which our own pages cause because they send no referrer. For those the token decides.
 * @throws ApiError STATUS_INVALID (409)
 */
export function requireSameOrigin(headers: IncomingHttpHeaders, userUrl: string): void {
  const { 'sec-fetch-site': site = 'same-origin', origin = 'null' } = headers;
  if (site !== 'same-origin' || !['null', new URL(userUrl).origin].includes(origin)) throw foreignForm();
}

/** Refuses a form without a valid token. */
export function foreignForm(): ApiError {
  return new ApiError('STATUS_INVALID', PAGE_TEXTS('form-not-ours'));
}
