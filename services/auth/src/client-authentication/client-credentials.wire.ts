import type { Verdict } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import { z } from 'zod';
import { type AuthProfile, PROFILES } from '../domain/profile.model.ts';
import { TEXTS } from '../texts.ts';
import { credentialsMissing, LONGEST_BASIC, readBasicCredentials } from './basic-credentials.wire.ts';
import { type ClientCredentials, refusedCredentials } from './client-credentials.model.ts';
import type { Accepted, CredentialCache } from './credential-cache.model.ts';

/** The fields of a form that could contain credentials. All but the id are refused. */
export const credentialsForm = {
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  client_assertion: z.string().optional(),
};

/** The documented fields; the refused ones are not documented. */
export const credentialsProperties = {
  client_id: {
    type: 'string',
    description: 'Optional; must be the clientId of the credentials.',
  },
} as const;

type CredentialsForm = z.output<z.ZodObject<typeof credentialsForm>>;

/** Dependencies for reading credentials: the profile, the cache, and the accepted certificate of the request. */
export interface CredentialsReader {
  issuer: { profile: AuthProfile; credentialCache: CredentialCache };
  certificate: Verdict;
}

/**
 * Reads client_secret_basic and refuses other methods beside it (RFC 6749 §2.3). If the profile allows it, a request without
 * secret is tls_client_auth (RFC 8705 §2).
 * @throws ApiError invalid_client, invalid_request
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
  const accepted = findAccepted(authorization, reader);
  const { clientId } = accepted ?? readBasicCredentials(authorization);
  refuseOtherClientId(clientId, form.client_id);
  const clientSecret = (): string => readBasicCredentials(authorization).clientSecret;
  return {
    clientId,
    presented: { basic: authorization, cachedRevision: accepted?.revision, clientSecret },
  };
}

/** Looks the header up in the cache. A header that is too long was never accepted. */
function findAccepted(
  basic: string,
  { issuer: { credentialCache }, certificate: { thumbprint } }: CredentialsReader,
): Accepted | undefined {
  if (basic.length > LONGEST_BASIC) return undefined;
  return credentialCache.find({ basic, certificateThumbprint: thumbprint });
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

function refuseOtherClientId(presented: string, clientId: string | undefined): void {
  if (clientId && clientId.toLowerCase() !== presented)
    throw new ApiError('FORMAT_ERROR', TEXTS('client-id-differs'));
}
