import { call } from '@kontoport/grpc';
import type { ConsentsServiceClient, UserAccount } from '@kontoport/proto/accounts/v1';

/** The deadline for users and accounts: the first call for a client's simulated users creates them. */
export const USERS_DEADLINE_MS = 8_000;

/**
 * Lists the accounts to which a user can give a client access, in the bank's order (§5.9).
 * @throws ApiError RESOURCE_UNKNOWN for a user whom the client does not have; UNAVAILABLE
 */
export async function userAccounts(
  { consents }: { consents: ConsentsServiceClient },
  { clientId, userId, signal }: { clientId: string; userId: string; signal: AbortSignal },
): Promise<UserAccount[]> {
  const options = { signal, deadlineMs: USERS_DEADLINE_MS };
  const { accounts } = await call(consents, consents.listUserAccounts, { clientId, userId }, options);
  return accounts;
}
