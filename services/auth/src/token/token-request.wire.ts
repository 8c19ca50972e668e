import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@kontoport/errors';
import { z } from 'zod';
import { TEXTS } from '../texts.ts';
import { readBasicCredentials } from './basic-credentials.wire.ts';
import type { ClientCredentials, TokenRequest } from './client-credentials.model.ts';

/** The form of a token request; what else it holds is ignored (RFC 6749 §3.2). */
export const tokenBody = z
  .object({
    grant_type: z.string().optional(),
    scope: z.string().max(1_024).optional(),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    client_assertion: z.string().optional(),
  })
  .meta({
    // What is read only to be refused is not offered.
    override: {
      properties: {
        grant_type: { type: 'string', const: 'client_credentials' },
        scope: {
          type: 'string',
          maxLength: 1_024,
          description:
            'PSP_AI, PSP_PI or both, with a space between them; all that can be granted when absent.',
        },
        client_id: {
          type: 'string',
          description: 'The same as in the credentials, where it stands here too.',
        },
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
  refuseBodyCredentials(headers, form);
  const credentials = readBasicCredentials(headers.authorization);
  refuseOtherClientId(credentials, form.client_id);
  requireGrantType(form.grant_type);
  // A parameter without value counts as omitted (RFC 6749 §3.2).
  return { credentials, requestedScopes: form.scope ? form.scope.split(' ') : undefined };
}

function refuseBodyCredentials(headers: IncomingHttpHeaders, form: z.output<typeof tokenBody>): void {
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
