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

/** The form of a revocation (RFC 7009 §2.1). The hint and unknown parameters are ignored. */
export const revocationBody = z.object({ ...credentialsForm, token: z.string().optional() }).meta({
  override: {
    properties: {
      token: { type: 'string', description: 'The access token, or the refresh token.' },
      token_type_hint: { type: 'string', description: 'Ignored.' },
      ...credentialsProperties,
    },
    required: ['token'],
  },
});

export const revocationExample: z.input<typeof revocationBody> = {
  token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzY29wZSI6IlBTUF9BSSJ9.c2lnbmF0dXJl',
};

/** Reads a revocation. @throws ApiError invalid_client, invalid_request */
export function readRevocationRequest(
  authorization: string | undefined,
  form: z.output<typeof revocationBody>,
  reader: CredentialsReader,
): { credentials: ClientCredentials; token: string } {
  const credentials = readClientCredentials(authorization, form, reader);
  if (!form.token) throw new ApiError('FORMAT_ERROR', TEXTS('token-missing'));
  return { credentials, token: form.token };
}
