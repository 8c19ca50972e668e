import { ApiError } from '@kontoport/errors';
import { z } from 'zod';
import type { ClientCredentials } from '../client-authentication/client-credentials.model.ts';
import {
  credentialsForm,
  credentialsProperties,
  type CredentialsReader,
  readClientCredentials,
} from '../client-authentication/client-credentials.wire.ts';
import { TEXTS } from '../texts.ts';
import type { TokenRequest } from './token-request.model.ts';

/** RFC 7636 §4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Longer values cannot be a valid code, token, URI or verifier. */
const text = z.string().max(4_096).optional();

/** The form of a token request; unknown parameters are ignored (RFC 6749 §3.2). */
export const tokenBody = z
  .object({
    grant_type: z.string().optional(),
    scope: z.string().max(1_024).optional(),
    code: text,
    redirect_uri: text,
    code_verifier: text,
    refresh_token: text,
    ...credentialsForm,
  })
  .meta({
    override: {
      properties: {
        grant_type: {
          type: 'string',
          enum: ['client_credentials', 'authorization_code', 'refresh_token'],
          description: 'The grant.',
        },
        scope: {
          type: 'string',
          maxLength: 1_024,
          description:
            'PSP_AI, PSP_PI or both, separated by a space. Default: all scopes that can be granted.',
        },
        code: { type: 'string', description: 'The code from the redirect URI; with authorization_code.' },
        redirect_uri: {
          type: 'string',
          description: 'The same as in the authorization request; with authorization_code.',
        },
        code_verifier: {
          type: 'string',
          description: 'The PKCE verifier (RFC 7636); with authorization_code.',
        },
        refresh_token: { type: 'string', description: 'The refresh token; with refresh_token.' },
        ...credentialsProperties,
      },
      required: ['grant_type'],
    },
  });

export const tokenBodyExample: z.input<typeof tokenBody> = { grant_type: 'client_credentials' };

type TokenForm = z.output<typeof tokenBody>;

/** Reads the parameters of each grant. */
const GRANTS: Readonly<
  Record<TokenRequest['grantType'], (credentials: ClientCredentials, form: TokenForm) => TokenRequest>
> = {
  client_credentials: (credentials, form) => ({
    grantType: 'client_credentials',
    credentials,
    requestedScopes: scopesOf(form),
  }),
  authorization_code: (credentials, form) => ({
    grantType: 'authorization_code',
    credentials,
    code: required(form, 'code'),
    redirectUri: required(form, 'redirect_uri'),
    codeVerifier: verifierOf(form),
  }),
  refresh_token: (credentials, form) => ({
    grantType: 'refresh_token',
    credentials,
    refreshToken: required(form, 'refresh_token'),
    requestedScopes: scopesOf(form),
  }),
};

/**
 * Reads a token request (RFC 6749 §4.1.3, §4.4.2, §6; §4.1).
 * @throws ApiError invalid_client, invalid_request, unsupported_grant_type.
 */
export function readTokenRequest(
  authorization: string | undefined,
  form: TokenForm,
  reader: CredentialsReader,
): TokenRequest {
  const credentials = readClientCredentials(authorization, form, reader);
  const { grant_type: grantType } = form;
  if (!grantType) throw new ApiError('FORMAT_ERROR', TEXTS('grant-type-missing'));
  if (!Object.hasOwn(GRANTS, grantType))
    throw new ApiError('FORMAT_ERROR', TEXTS('grant-type-unsupported'), {
      oauthError: 'unsupported_grant_type',
    });
  return GRANTS[grantType as TokenRequest['grantType']](credentials, form);
}

/** A parameter without value counts as omitted (RFC 6749 §3.2). */
function scopesOf({ scope }: TokenForm): string[] | undefined {
  return scope ? scope.split(' ') : undefined;
}

function required(
  form: TokenForm,
  name: 'code' | 'redirect_uri' | 'code_verifier' | 'refresh_token',
): string {
  const value = form[name];
  if (!value) throw new ApiError('FORMAT_ERROR', TEXTS('parameter-missing', { name }));
  return value;
}

function verifierOf(form: TokenForm): string {
  const verifier = required(form, 'code_verifier');
  if (!VERIFIER.test(verifier)) throw new ApiError('FORMAT_ERROR', TEXTS('verifier-malformed'));
  return verifier;
}
