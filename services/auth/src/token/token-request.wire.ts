import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@kontoport/errors';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import { readBasicCredentials } from './basic-credentials.wire.ts';
import type { ClientCredentials, TokenRequest } from './client-credentials.model.ts';

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

/** The form of a token request; what else it holds is ignored (RFC 6749 §3.2). */
export const tokenBody = z
  .object({
    grant_type: z.string().optional(),
    scope: z.string().max(1_024).optional(),
    ...credentialsForm,
  })
  .meta({
    override: {
      properties: {
        grant_type: { type: 'string', const: 'client_credentials' },
        scope: {
          type: 'string',
          maxLength: 1_024,
          description:
            'PSP_AI, PSP_PI or both, with a space between them; all that can be granted when absent.',
        },
        ...credentialsProperties,
      },
      required: ['grant_type'],
    },
  });

export const tokenBodyExample: z.input<typeof tokenBody> = { grant_type: 'client_credentials' };

/**
 * Reads a client credentials token request (RFC 6749 §4.4.2, §4.1).
 * @throws ApiError invalid_client, invalid_request, unsupported_grant_type.
 */
export function readTokenRequest(
  headers: IncomingHttpHeaders,
  form: z.output<typeof tokenBody>,
): TokenRequest {
  const credentials = readClientCredentials(headers, form);
  requireGrantType(form.grant_type);
  // A parameter without value counts as omitted (RFC 6749 §3.2).
  return { credentials, requestedScopes: form.scope ? form.scope.split(' ') : undefined };
}

/**
 * Reads client_secret_basic, and refuses every other way beside it (RFC 6749 §2.3).
 * @throws ApiError invalid_client, invalid_request.
 */
export function readClientCredentials(
  headers: IncomingHttpHeaders,
  form: CredentialsForm,
): ClientCredentials {
  refuseBodyCredentials(headers, form);
  const credentials = readBasicCredentials(headers.authorization);
  refuseOtherClientId(credentials, form.client_id);
  return credentials;
}

function refuseBodyCredentials(headers: IncomingHttpHeaders, form: CredentialsForm): void {
  if (!form.client_secret && !form.client_assertion) return;
  const text = TEXTS('credentials-in-body');
  if (headers.authorization !== undefined) throw new ApiError('FORMAT_ERROR', text);
  throw new ApiError('CLIENT_UNKNOWN', text, { status: 401, oauthError: 'invalid_client' });
}

function refuseOtherClientId(credentials: ClientCredentials, clientId: string | undefined): void {
  if (clientId && clientId.toLowerCase() !== credentials.clientId)
    throw new ApiError('FORMAT_ERROR', TEXTS('client-id-differs'));
}

function requireGrantType(grantType: string | undefined): void {
  if (!grantType) throw new ApiError('FORMAT_ERROR', TEXTS('grant-type-missing'));
  if (grantType !== 'client_credentials')
    throw new ApiError('FORMAT_ERROR', TEXTS('grant-type-unsupported'), {
      oauthError: 'unsupported_grant_type',
    });
}
