import type { ClientDirectory, DirectoryClient } from '@kontoport/client-directory';
import { ApiError } from '@kontoport/errors';
import { uuid } from '@kontoport/http';
import type { AuthorizationParameters } from './read-authorization.ts';
import { AUTHORIZATION_TEXTS as TEXTS } from './texts.ts';

/** Finds the client of a request. @throws ApiError for a page: an unverified redirect URI must not receive it */
export function requireClient(directory: ClientDirectory, given: AuthorizationParameters): DirectoryClient {
  const clientId = uuid.safeParse(given.client_id);
  const client = clientId.success ? directory.find(clientId.data) : undefined;
  if (client === undefined || client.deleted) throw new ApiError('FORMAT_ERROR', TEXTS('client-unknown'));
  return client;
}
