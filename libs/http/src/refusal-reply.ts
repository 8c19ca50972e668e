import type { ApiError, Language } from '@kontoport/errors';
import { Shell } from '@kontoport/pages';
import { errorReply, type ErrorReply, oauthErrorReply, pageErrorReply } from './error-reply.ts';
import { developerErrorPage, type ErrorForm, type ErrorPage, userErrorPage } from './page.ts';
import { prefersHtml } from './preference.ts';

const PLAIN = new Shell();

/** Renders a refusal in the form that the caller expects. */
export function refusalReply(
  refusal: ApiError,
  to: {
    form: ErrorForm | undefined;
    requestId: string;
    accept: string | undefined;
    language: Language;
    /** Default: the look without a bank. */
    shell?: Shell | undefined;
  },
): ErrorReply {
  const { form, requestId, accept, language, shell = PLAIN } = to;
  if (form === 'oauth') return oauthErrorReply(refusal);
  if (form === undefined || (form === 'developers' && !prefersHtml(accept)))
    return errorReply(refusal, { requestId, accept, language });
  const page = pageOf(form);
  return pageErrorReply(refusal, shell.render(page({ error: refusal, requestId, language })), language);
}

function pageOf(form: Exclude<ErrorForm, 'oauth'>): ErrorPage {
  if (form === 'html') return userErrorPage;
  return form === 'developers' ? developerErrorPage : form;
}
