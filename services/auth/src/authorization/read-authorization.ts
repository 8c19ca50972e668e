import type { Role } from '@kontoport/certificates';
import { ApiError, type Language, LANGUAGES, type OAuthError, type Text } from '@kontoport/errors';
import { parseJson } from '@kontoport/http';
import { z } from 'zod';
import { LONGEST_CONSENT_DAYS, type RequestedAuthorization } from '../domain/authorization-request.model.ts';
import { AUTHORIZATION_TEXTS as TEXTS } from './texts.ts';

/** The raw parameters of an authorization request, by name. An empty one counts as omitted (RFC 6749 §3.1). */
export type AuthorizationParameters = Readonly<Record<string, string | undefined>>;

const MAX_STATE = 1_024;
const MAX_HINT = 100;
const MAX_DETAILS = 2_048;

/** RFC 6749 appendix A.5. */
const STATE = /^[\x20-\x7E]+$/;
/** base64url of a SHA-256 (RFC 7636 §4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const PROMPTS = ['none', 'login', 'consent', 'select_account'];

/** `authorization_details` (RFC 9396): the duration of the consent. The user chooses the accounts. */
const authorizationDetails = z.tuple([
  z.strictObject({
    type: z.literal('accounts'),
    validDays: z.int().min(1).max(LONGEST_CONSENT_DAYS).optional(),
  }),
]);

const parameter = (description: string) => ({ type: 'string', description }) as const;

/** The parameters, for OpenAPI. They are read separately, so that each fault has its own answer. */
export const AUTHORIZATION_PROPERTIES = {
  client_id: parameter('The client.'),
  response_type: { ...parameter('`code`.'), const: 'code' },
  redirect_uri: parameter('One of the registered strings, character by character.'),
  code_challenge: parameter('base64url SHA-256 of the code verifier, 43 characters (RFC 7636).'),
  code_challenge_method: { ...parameter('`S256`.'), const: 'S256' },
  scope: parameter('PSP_AI, PSP_PI or both, separated by a space. Default: all roles of the client.'),
  state: { ...parameter('Returned with every answer; printable ASCII.'), maxLength: MAX_STATE },
  prompt: parameter('`none`, `login`, `consent` or `select_account`; `none` shows no page.'),
  login_hint: { ...parameter('The expected user.'), maxLength: MAX_HINT },
  ui_locales: parameter('Languages of the pages, in order of preference.'),
  authorization_details: {
    ...parameter(
      `\`[{"type":"accounts","validDays":90}]\` (RFC 9396): the duration of the consent. Default: ${LONGEST_CONSENT_DAYS} days.`,
    ),
    maxLength: MAX_DETAILS,
  },
} as const;

/** Replaces all other parameters but `client_id` for a pushed request. */
export const REQUEST_URI_PROPERTY = parameter('The id of a pushed request; other parameters are ignored.');

/** Refuses an authorization request with an OAuth error. */
export function authorizationFault(text: Text, oauthError: OAuthError = 'invalid_request'): ApiError {
  return new ApiError('FORMAT_ERROR', text, { oauthError });
}

/**
 * Reads the parameters of an authorization request. The client and its redirect URI are known already.
 * @throws ApiError whose `oauthError` is the error of RFC 6749 §4.1.2.1
 */
export function readAuthorization(
  given: AuthorizationParameters,
  roles: readonly Role[],
): Omit<RequestedAuthorization, 'authorizationId' | 'clientId' | 'isPushed' | 'redirectUri'> {
  refuseOtherForms(given);
  return {
    state: readState(given.state),
    scopes: readScopes(given.scope, roles),
    codeChallenge: readChallenge(given),
    consentDays: readConsentDays(given.authorization_details),
    prompt: readPrompt(given.prompt),
    loginHint: readHint(given.login_hint),
    language: readLanguage(given.ui_locales),
  };
}

/** Returns a valid `state`, which is also returned with the error of another parameter. */
export function returnableState({ state }: AuthorizationParameters): string | undefined {
  return state && state.length <= MAX_STATE && STATE.test(state) ? state : undefined;
}

function refuseOtherForms({
  request,
  response_type: type,
  response_mode: mode,
}: AuthorizationParameters): void {
  if (request) throw authorizationFault(TEXTS('request-object'), 'request_not_supported');
  if (!type) throw authorizationFault(TEXTS('response-type-missing'));
  if (type !== 'code') throw authorizationFault(TEXTS('response-type'), 'unsupported_response_type');
  if (mode && mode !== 'query') throw authorizationFault(TEXTS('response-mode'));
}

function readState(state: string | undefined): string | undefined {
  if (state && returnableState({ state }) === undefined)
    throw authorizationFault(TEXTS('state', { characters: MAX_STATE }));
  return state || undefined;
}

function readScopes(scope: string | undefined, roles: readonly Role[]): Role[] {
  if (!scope) return [...roles];
  const asked = scope.split(' ');
  if (!asked.every((each) => roles.some((role) => role === each)))
    throw authorizationFault(TEXTS('scope', { roles: roles.join(' ') }), 'invalid_scope');
  return roles.filter((role) => asked.includes(role));
}

/** Reads the PKCE challenge. A missing method would mean `plain` (RFC 7636 §4.3), which is refused. */
function readChallenge({
  code_challenge: challenge,
  code_challenge_method: method,
}: AuthorizationParameters): string {
  if (!challenge) throw authorizationFault(TEXTS('challenge-missing'));
  if (method !== 'S256') throw authorizationFault(TEXTS('challenge-method'));
  if (!CHALLENGE.test(challenge)) throw authorizationFault(TEXTS('challenge'));
  return challenge;
}

function readPrompt(prompt: string | undefined): RequestedAuthorization['prompt'] {
  if (!prompt) return undefined;
  const asked = prompt.split(' ');
  const isKnown = asked.every((each) => PROMPTS.includes(each));
  if (!isKnown || (asked.includes('none') && asked.length > 1)) throw authorizationFault(TEXTS('prompt'));
  if (asked.includes('none')) return 'none';
  return asked.every((each) => each === 'consent') ? 'consent' : 'login';
}

function readHint(hint: string | undefined): string | undefined {
  if (hint && hint.length > MAX_HINT) throw authorizationFault(TEXTS('login-hint', { characters: MAX_HINT }));
  return hint || undefined;
}

/** Returns the first supported language. Malformed tags are ignored. */
function readLanguage(locales: string | undefined): Language | undefined {
  const tags = (locales ?? '').toLowerCase().split(' ', 10);
  const spoken = tags.map((tag) => tag.split('-', 1)[0]!).map((tag) => (tag === 'no' ? 'nb' : tag));
  return LANGUAGES.find(
    (language) => language === spoken.find((tag) => LANGUAGES.some((one) => one === tag)),
  );
}

function readConsentDays(text: string | undefined): number {
  if (!text) return LONGEST_CONSENT_DAYS;
  const details = text.length > MAX_DETAILS ? undefined : parsed(text);
  const read = authorizationDetails.safeParse(details);
  if (!read.success)
    throw authorizationFault(
      TEXTS('authorization-details', { days: LONGEST_CONSENT_DAYS }),
      'invalid_authorization_details',
    );
  return read.data[0].validDays ?? LONGEST_CONSENT_DAYS;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
