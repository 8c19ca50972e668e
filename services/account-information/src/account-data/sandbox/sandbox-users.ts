import type { Users } from '../../consents/user.model.ts';
import { SANDBOX_IDS } from './sandbox-ids.ts';
import { SANDBOX_USERS } from './users.ts';

/** The simulated users: those of the client's organization, and nobody else's can open accounts to it. */
export function createSandboxUsers({
  organizationOf,
}: {
  organizationOf: (clientId: string) => string;
}): Users {
  return {
    offeredTo(clientId) {
      const organization = organizationOf(clientId);
      return SANDBOX_USERS.map(({ key, name, loginHint }) => ({
        id: SANDBOX_IDS.user(organization, key),
        name,
        loginHint,
      }));
    },
    mayOpenTo(clientId, userId) {
      const organization = organizationOf(clientId);
      return SANDBOX_USERS.some(({ key }) => SANDBOX_IDS.user(organization, key) === userId);
    },
  };
}
