import type { Users } from '../../consents/user.model.ts';
import { SANDBOX_IDS } from './sandbox-ids.ts';
import { SANDBOX_USERS } from './users.ts';

/** Offers a client the simulated users of its organization. No other user can give it access. */
export function createSandboxUsers({
  organizationOf,
}: {
  organizationOf: (clientId: string) => string;
}): Users {
  return {
    offeredTo(clientId) {
      const organization = organizationOf(clientId);
      return SANDBOX_USERS.map(({ key, name, loginHint, refusesConsent = false }) => ({
        id: SANDBOX_IDS.user(organization, key),
        name,
        loginHint,
        refusesConsent,
      }));
    },
    mayOpenTo(clientId, userId) {
      const organization = organizationOf(clientId);
      return SANDBOX_USERS.some(({ key }) => SANDBOX_IDS.user(organization, key) === userId);
    },
  };
}
