import type { Users } from '../../consents/user.model.ts';
import { derivedId } from './derived-id.ts';
import { SANDBOX_USERS } from './users.ts';

/** Id of a simulated user in a client's copy. */
export function sandboxUserId(clientId: string, key: string): string {
  return derivedId(clientId, 'user', key);
}

/** The simulated users: each client has its own, and nobody else's open accounts to it. */
export function createSandboxUsers(): Users {
  return {
    offeredTo: (clientId) =>
      SANDBOX_USERS.map(({ key, name, loginHint }) => ({
        id: sandboxUserId(clientId, key),
        name,
        loginHint,
      })),
    mayOpenTo: (clientId, userId) => SANDBOX_USERS.some(({ key }) => sandboxUserId(clientId, key) === userId),
  };
}
