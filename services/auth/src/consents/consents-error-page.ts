import { ApiError } from '@kontoport/errors';
import { errorPage } from '../pages/error-page.ts';
import { PAGE_TEXTS } from '../pages/texts.ts';
import { CONSENT_TEXTS as TEXTS } from './texts.ts';

/** Refuses a consent that is not the user's. */
export function consentUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('consent-unknown'));
}

/** Refuses an unknown client. */
export function clientUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('client-unknown'));
}

/** Renders a refusal in place of consents. */
export const consentsErrorPage = errorPage(({ status, text }) => {
  if (status !== 404) return undefined;
  const title =
    text.rule === 'client-unknown' ? TEXTS('client-unknown-title') : TEXTS('consent-unknown-title');
  return { title, text, link: { href: '/consents', text: PAGE_TEXTS('see-consents') } };
});
