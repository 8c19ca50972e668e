import { oauthDescription } from '@kontoport/errors';
import type { RequestedAuthorization } from '../domain/authorization-request.model.ts';

/** The errors that a redirect URI can receive (RFC 6749 §4.1.2.1, RFC 9396 §5; login_required is from OpenID Connect). */
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

/** Makes the address of an answer: the registered redirect URI, always with `state` and `iss` (RFC 9207). */
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
    if (description !== undefined) parameters.set('error_description', oauthDescription(description));
  }
  if (state !== undefined) parameters.set('state', state);
  parameters.set('iss', issuer);
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters.toString()}`;
}
