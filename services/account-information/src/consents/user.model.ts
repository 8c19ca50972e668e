/** A user of the bank, as a page offers one. */
export interface User {
  /** UUID. */
  id: string;
  name: string;
  /** A word that names the user, the same for every client. */
  loginHint: string;
}

/** Which users there are; the environment chooses one at start-up. */
export interface Users {
  /** Those who can be offered by name. */
  offeredTo(clientId: string): readonly User[];
  /** Whether a user may open own accounts to the client. */
  mayOpenTo(clientId: string, userId: string): boolean;
}

/** A bank's own users: nobody is offered by name, and everybody may open accounts to whom they like. */
export function createUnlistedUsers(): Users {
  return { offeredTo: () => [], mayOpenTo: () => true };
}
