import { call } from '@kontoport/grpc';
import type { ConsentsServiceClient, UserAccount } from '@kontoport/proto/accounts/v1';
import { USERS_DEADLINE_MS } from '../domain/authorization-request.model.ts';

/**
 * The accounts that a user can open to a client, in the bank's order (§5.9).
 * @throws ApiError RESOURCE_UNKNOWN for a user whom the client has not; UNAVAILABLE.
 */
export async function userAccounts(
  { consents }: { consents: ConsentsServiceClient },
  { clientId, userId, signal }: { clientId: string; userId: string; signal: AbortSignal },
): Promise<UserAccount[]> {
  const options = { signal, deadlineMs: USERS_DEADLINE_MS };
  const { accounts } = await call(consents, consents.listUserAccounts, { clientId, userId }, options);
  return accounts;
}
