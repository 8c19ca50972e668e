import { ApiError } from '@kontoport/errors';
import { errorPage } from '../pages/error-page.ts';
import { APPROVAL_TEXTS as TEXTS } from './texts.ts';

/** Of a link that is none, for whatever reason, and for whoever it is none. */
export function approvalUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('link-invalid'));
}

/** What a person reads in place of an approval. */
export const approvalErrorPage = errorPage((error) => {
  if (error.status === 404) return { title: TEXTS('link-invalid-title'), text: TEXTS('link-invalid') };
  return undefined;
});
