import { ApiError } from '@kontoport/errors';
import { errorPage } from '../pages/error-page.ts';
import { CONSENT_TEXTS as TEXTS } from './texts.ts';

/** Of a consent that is not the user's. */
export function consentUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('consent-unknown'));
}

/** Of a client that is none. */
export function clientUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('client-unknown'));
}

/** What a person reads in place of consents. */
export const consentsErrorPage = errorPage(({ status, text }) => {
  if (status !== 404) return undefined;
  const title =
    text.rule === 'client-unknown' ? TEXTS('client-unknown-title') : TEXTS('consent-unknown-title');
  return { title, text, link: { href: '/consents', text: TEXTS('see-consents') } };
});
