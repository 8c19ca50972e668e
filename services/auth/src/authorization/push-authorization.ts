import { randomUUID } from 'node:crypto';
import type { Role, Verdict } from '@kontoport/certificates';
import { registeredExactly } from '@kontoport/client-directory';
import type { Logger } from '@kontoport/lifecycle';
import {
  authenticateClient,
  type ClientAuthenticator,
} from '../client-authentication/authenticate-client.ts';
import type { CallContext, ClientCredentials } from '../client-authentication/client-credentials.model.ts';
import type { AuthorizationKeys } from '../domain/authorization-keys.model.ts';
import { PUSHED_LIFETIME_MS } from '../domain/authorization-request.model.ts';
import type { AuthProfile } from '../domain/profile.model.ts';
import { authorizationFault, type AuthorizationParameters, readAuthorization } from './read-authorization.ts';
import { requireClient } from './require-client.ts';
import { sealRequest } from './sealed-request.ts';
import { AUTHORIZATION_TEXTS as TEXTS } from './texts.ts';

/** The prefix of a `request_uri` (RFC 9126 §2.2). */
const URN = 'urn:ietf:params:oauth:request_uri:';

/** Dependencies for accepting a pushed request. */
export interface PushReceiver extends ClientAuthenticator {
  authorizationKeys: AuthorizationKeys;
  profile: AuthProfile;
  logger: Logger;
}

/**
 * Accepts an authorization request from the client itself (RFC 9126). Nothing is stored: the `request_uri` holds the sealed
 * request. It is valid for the client that pushed it, until the user decides.
 * @returns `expiresIn` in seconds
 * @throws ApiError as the token endpoint, or with the error of the request
 */
export async function pushAuthorization(
  receiver: PushReceiver,
  options: CallContext & {
    credentials: ClientCredentials;
    given: AuthorizationParameters;
    certificate: Verdict;
    requestId: string;
  },
): Promise<{ requestUri: string; expiresIn: number }> {
  const { directory, authorizationKeys, logger } = receiver;
  const { given, requestId, now } = options;
  const { clientId } = await authenticateClient(receiver, options, options);
  const client = requireClient(directory, { client_id: clientId });
  if (given.request_uri) throw authorizationFault(TEXTS('request-uri-pushed'));
  const redirectUri = given.redirect_uri;
  if (!redirectUri || !registeredExactly(client, redirectUri))
    throw authorizationFault(TEXTS('redirect-uri-refused'));
  const asked = readAuthorization(given, client.roles as Role[]);
  const sealed = sealRequest(authorizationKeys.requests, 'pushed', {
    ...asked,
    authorizationId: randomUUID(),
    clientId,
    isPushed: true,
    redirectUri,
    expiresAt: new Date(now.getTime() + PUSHED_LIFETIME_MS),
  });
  logger.info({ clientId, requestId }, 'authorization request pushed');
  return { requestUri: URN + sealed, expiresIn: PUSHED_LIFETIME_MS / 1_000 };
}

/** Returns the sealed part of a `request_uri`; undefined for another URI. */
export function pushedPart(requestUri: string): string | undefined {
  return requestUri.startsWith(URN) ? requestUri.slice(URN.length) : undefined;
}
