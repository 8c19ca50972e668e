import type { ClientDirectory, DirectoryClient } from '@kontoport/client-directory';
import { ApiError } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import type { AuthorizationParameters } from './read-authorization.ts';
import { AUTHORIZATION_TEXTS as TEXTS } from './texts.ts';

/** The live client that a request names. @throws ApiError for the person who reads it: nobody else may hear of it. */
export function requireAskingClient(
  directory: ClientDirectory,
  given: AuthorizationParameters,
): DirectoryClient {
  const clientId = uuid.safeParse(given.client_id);
  const client = clientId.success ? directory.find(clientId.data) : undefined;
  if (client === undefined || client.deleted) throw new ApiError('FORMAT_ERROR', TEXTS('client-unknown'));
  return client;
}
