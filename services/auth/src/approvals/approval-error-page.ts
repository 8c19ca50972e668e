import { ApiError } from '@kontoport/errors';
import { errorPage } from '../pages/error-page.ts';
import { APPROVAL_TEXTS as TEXTS } from './texts.ts';

/** Refuses a link that is unknown, or is another user's. */
export function approvalUnknown(): ApiError {
  return new ApiError('RESOURCE_UNKNOWN', TEXTS('link-invalid'));
}

/** Renders a refusal in place of an approval. */
export const approvalErrorPage = errorPage((error) => {
  if (error.status === 404) return { title: TEXTS('link-invalid-title'), text: TEXTS('link-invalid') };
  return undefined;
});
