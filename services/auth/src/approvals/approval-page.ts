import { errorPage } from '../pages/error-page.ts';
import { APPROVAL_TEXTS } from './texts.ts';

/** What a person reads in place of an approval. */
export const approvalErrorPage = errorPage((error) => {
  if (error.status === 404)
    return { title: APPROVAL_TEXTS('link-invalid-title'), text: APPROVAL_TEXTS('link-invalid') };
  return undefined;
});
