import { ApiError } from '@kontoport/errors';
import { errorPage } from '../pages/error-page.ts';
import { PAGE_TEXTS } from '../pages/texts.ts';
import { AUTHORIZATION_PAGE_TEXTS as TEXTS } from './page-texts.ts';

/** Refuses a request that is not open in this browser, with the same error for every reason. */
export function requestGone(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('gone'));
}

/** Refuses a request that its user has answered. */
export function requestDecided(): ApiError {
  return new ApiError('STATUS_INVALID', TEXTS('decided'));
}

/** Renders a refusal in place of an authorization page. */
export const authorizationErrorPage = errorPage(({ status, text }) => {
  if (status === 404) return { title: TEXTS('gone-title'), text: TEXTS('gone') };
  if (text.rule !== 'decided') return undefined;
  const link = { href: '/consents', text: PAGE_TEXTS('see-consents') };
  return { title: TEXTS('decided-title'), text, link };
});
