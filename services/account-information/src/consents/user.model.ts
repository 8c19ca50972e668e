/** A user of the bank, as the pages offer it. */
export interface User {
  /** UUID. */
  id: string;
  name: string;
  /** A word that identifies the user, the same for every client. */
  loginHint: string;
  /** Whether the user refuses each consent that is asked for without a page. */
  refusesConsent: boolean;
}

/** The users of the bank; the environment selects the implementation at start-up. */
export interface Users {
  /** Lists the users that pages offer by name. */
  offeredTo(clientId: string): readonly User[];
  /** Whether a user may open own accounts to the client. */
  mayOpenTo(clientId: string, userId: string): boolean;
}

/** The users of a real bank: none is offered by name, and each may give any client access. */
export function createUnlistedUsers(): Users {
  return { offeredTo: () => [], mayOpenTo: () => true };
}
