import { call } from '@kontoport/grpc';
import type { ConsentsServiceClient, User } from '@kontoport/proto/accounts/v1';
import { USERS_DEADLINE_MS } from '../authorization/authorization-request.model.ts';

/** Someone who can say yes to a client: a UUID, a name for people, and the word that names the user in `login_hint`. */
export type BankUser = Pick<User, 'userId' | 'name' | 'loginHint'>;

/** Who sits at the browser. */
export interface UserAuthentication {
  /**
   * Those who can be it where a client asks, in the bank's order; without a page, the one who is named, or else the first.
   * Nobody where no login is connected.
   */
  usersFor(clientId: string, signal?: AbortSignal): Promise<readonly BankUser[]>;
}

/** The sandbox's users, whom anybody may be (§Sandbox). */
export function simulatedUsers({ consents }: { consents: ConsentsServiceClient }): UserAuthentication {
  return {
    async usersFor(clientId, signal) {
      const options = { deadlineMs: USERS_DEADLINE_MS, ...(signal && { signal }) };
      const { users } = await call(consents, consents.listUsers, { clientId }, options);
      return users;
    },
  };
}

/** Production, until the bank's own login is connected: nobody can be known, and the pages say so. */
export function noUserAuthentication(): UserAuthentication {
  return { usersFor: async () => [] };
}
