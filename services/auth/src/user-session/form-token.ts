import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@kontoport/errors';
import { PAGE_TEXTS } from '../pages/texts.ts';

/** What a form is for: the secret of the browser that it was shown to, and what it changes. */
export interface FormPurpose {
  /** Ours (`AuthorizationKeys.forms`): whoever sits at the browser has its secret, and could prove with it to be anybody. */
  key: Uint8Array;
  /** A cookie's secret, which no other site can read. */
  secret: string;
  /** Such as the id of a request, and whose accounts are shown. */
  about: readonly string[];
}

/** The field that shows that a form came from our page, in this browser, about the same; nobody else can make one. */
export function formToken({ key, secret, about }: FormPurpose): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([secret, ...about]))
    .digest('base64url');
}

/** Whether what came is the token that was to come; how long that takes says nothing of it. */
export function isFormToken(given: string, expected: string): boolean {
  const [actual, wanted] = [Buffer.from(given), Buffer.from(expected)];
  return actual.length === wanted.length && timingSafeEqual(actual, wanted);
}

/** @throws ApiError STATUS_INVALID (409) for the token of another browser, another form, or another state of it. */
export function requireFormToken(given: string, expected: string): void {
  if (!isFormToken(given, expected)) throw notOurs();
}

/**
 * Refuses a form that the browser says another site sent. Browsers that say nothing of it, and the `null` that our own
 * pages cause since they send no referrer, leave it to the token.
 * @param userUrl where our pages are
 * @throws ApiError STATUS_INVALID (409).
 */
export function requireOwnForm(headers: IncomingHttpHeaders, userUrl: string): void {
  const { 'sec-fetch-site': site = 'same-origin', origin = 'null' } = headers;
  if (site !== 'same-origin' || !['null', new URL(userUrl).origin].includes(origin)) throw notOurs();
}

const notOurs = (): ApiError => new ApiError('STATUS_INVALID', PAGE_TEXTS('form-not-ours'));
