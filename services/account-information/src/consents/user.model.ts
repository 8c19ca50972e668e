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

/** The users of a real bank: none is offered by name, and each may give access to any client. */
export function createUnlistedUsers(): Users {
  return { offeredTo: () => [], mayOpenTo: () => true };
}
