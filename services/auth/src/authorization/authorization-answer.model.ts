import type { RequestedAuthorization } from '../domain/authorization-request.model.ts';

/** The errors that a redirect URI hears of (RFC 6749 §4.1.2.1, RFC 9396 §5; login_required is of OpenID Connect). */
export type AuthorizationError =
  | 'access_denied'
  | 'invalid_authorization_details'
  | 'invalid_request'
  | 'invalid_scope'
  | 'login_required'
  | 'request_not_supported'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unsupported_response_type';

/** What RFC 6749 §4.1.2.1 does not allow in an error_description, such as quotes and letters beyond ASCII. */
const NOT_DESCRIPTIVE = /[^\x20\x21\x23-\x5B\x5D-\x7E]/g;

/** Where the browser takes an answer: to the redirect URI as it was registered, always with `state` and `iss` (RFC 9207). */
export function answerUri(
  issuer: string,
  request: Pick<RequestedAuthorization, 'redirectUri' | 'state'>,
  answer: { code: string } | { error: AuthorizationError; description: string | undefined },
): string {
  const { redirectUri, state } = request;
  const parameters = new URLSearchParams();
  if ('code' in answer) parameters.set('code', answer.code);
  else {
    parameters.set('error', answer.error);
    const { description } = answer;
    if (description !== undefined)
      parameters.set('error_description', description.replace(NOT_DESCRIPTIVE, "'"));
  }
  if (state !== undefined) parameters.set('state', state);
  parameters.set('iss', issuer);
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters.toString()}`;
}
