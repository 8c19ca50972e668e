import { ApiError } from '@kontoport/errors';
import { CONSENT_TEXTS as TEXTS } from '../consents/texts.ts';
import { errorPage } from '../pages/error-page.ts';

/** Of a request that is not open in this browser, for whatever reason. */
export function requestGone(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('gone'));
}

/** Of one that has its answer. */
export function requestDecided(): ApiError {
  return new ApiError('STATUS_INVALID', TEXTS('decided'));
}

/** What a person reads in place of a request. */
export const authorizationErrorPage = errorPage((error) => {
  const { text } = error;
  if (error.status === 404) return { title: TEXTS('gone-title'), text: TEXTS('gone') };
  if (text.rule === 'decided')
    return {
      title: TEXTS('decided-title'),
      text,
      link: { href: '/consents', text: TEXTS('see-consents') },
    };
  return undefined;
});
