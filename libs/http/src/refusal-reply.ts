import type { ApiError, Language } from '@kontoport/errors';
import { errorReply, type ErrorReply, oauthErrorReply, pageErrorReply } from './error-reply.ts';
import { type ErrorForm, plainErrorPage } from './page.ts';

/** A refusal in the shape that whoever asked expects. */
export function refusalReply(
  refusal: ApiError,
  to: { form: ErrorForm | undefined; requestId: string; accept: string | undefined; language: Language },
): ErrorReply {
  const { form, requestId, accept, language } = to;
  if (form === 'oauth') return oauthErrorReply(refusal);
  if (form === undefined) return errorReply(refusal, { requestId, accept, language });
  const page = form === 'html' ? plainErrorPage : form;
  return pageErrorReply(page, { error: refusal, requestId, language });
}
