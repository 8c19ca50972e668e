import type { Verdict } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import {
  credentialsMissing,
  LONGEST_BASIC,
  readBasicCredentials,
} from '../client-authentication/basic-credentials.wire.ts';
import {
  type ClientCredentials,
  refusedCredentials,
  type TokenRequest,
} from '../client-authentication/client-credentials.model.ts';
import type { Proven, ProvenCredentials } from '../client-authentication/credential-cache.model.ts';
import { type AuthProfile, PROFILES } from '../domain/profile.model.ts';
import { TEXTS } from '../texts.ts';

/** RFC 7636 §4.1. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Where credentials stand in a form that must not hold any, but the id. */
export const credentialsForm = {
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  client_assertion: z.string().optional(),
};

/** What of it is offered: what is read only to be refused is not. */
export const credentialsProperties = {
  client_id: {
    type: 'string',
    description: 'The same as in the credentials, where it stands here too.',
  },
} as const;

type CredentialsForm = z.output<z.ZodObject<typeof credentialsForm>>;

/** By what credentials are read: the rules of the profile, what was accepted before, and the accepted certificate of the request. */
export interface CredentialsReader {
  issuer: { profile: AuthProfile; provenCredentials: ProvenCredentials };
  certificate: Verdict;
}

/** Whatever is longer is no code, token, URI or verifier of ours. */
const text = z.string().max(4_096).optional();

/** The form of a token request; what else it holds is ignored (RFC 6749 §3.2). */
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
        grant_type: { type: 'string', enum: ['client_credentials', 'authorization_code', 'refresh_token'] },
        scope: {
          type: 'string',
          maxLength: 1_024,
          description:
            'PSP_AI, PSP_PI or both, with a space between them; all that can be granted when absent.',
        },
        code: { type: 'string', description: 'Of the redirect URI; with authorization_code.' },
        redirect_uri: {
          type: 'string',
          description: 'As in the authorization request; with authorization_code.',
        },
        code_verifier: { type: 'string', description: 'Of PKCE (RFC 7636); with authorization_code.' },
        refresh_token: { type: 'string', description: 'With refresh_token.' },
        ...credentialsProperties,
      },
      required: ['grant_type'],
    },
  });

export const tokenBodyExample: z.input<typeof tokenBody> = { grant_type: 'client_credentials' };

type TokenForm = z.output<typeof tokenBody>;

/** What each grant asks for beside the client's proof. */
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

/**
 * Reads client_secret_basic, and refuses every other way beside it (RFC 6749 §2.3); where the profile has it, also
 * tls_client_auth, which is a request without secret (RFC 8705 §2).
 * @throws ApiError invalid_client, invalid_request.
 */
export function readClientCredentials(
  authorization: string | undefined,
  form: CredentialsForm,
  reader: CredentialsReader,
): ClientCredentials {
  refuseBodyCredentials(authorization, form);
  if (authorization === undefined) {
    if (form.client_id && PROFILES[reader.issuer.profile].certificateAlone)
      return { clientId: readClientId(form.client_id) };
    throw credentialsMissing();
  }
  const proven = recall(authorization, reader);
  const { clientId } = proven ?? readBasicCredentials(authorization);
  refuseOtherClientId(clientId, form.client_id);
  const clientSecret = (): string => readBasicCredentials(authorization).clientSecret;
  return { clientId, shown: { basic: authorization, provenAt: proven?.revision, clientSecret } };
}

/** What is too long was never accepted, and is not worth a look. */
function recall(
  basic: string,
  { issuer: { provenCredentials }, certificate: { thumbprint } }: CredentialsReader,
): Proven | undefined {
  if (basic.length > LONGEST_BASIC) return undefined;
  return provenCredentials.recall({ basic, certificateThumbprint: thumbprint });
}

function readClientId(text: string): string {
  const clientId = uuid.safeParse(text);
  if (!clientId.success) throw refusedCredentials();
  return clientId.data;
}

function refuseBodyCredentials(authorization: string | undefined, form: CredentialsForm): void {
  if (!form.client_secret && !form.client_assertion) return;
  const text = TEXTS('credentials-in-body');
  if (authorization !== undefined) throw new ApiError('FORMAT_ERROR', text);
  throw new ApiError('CLIENT_UNKNOWN', text, { status: 401, oauthError: 'invalid_client' });
}

function refuseOtherClientId(shown: string, clientId: string | undefined): void {
  if (clientId && clientId.toLowerCase() !== shown)
    throw new ApiError('FORMAT_ERROR', TEXTS('client-id-differs'));
}
