/** Who is logged in. In the sandbox the users are a client's own, so a session is about one client. */
export interface UserSession {
  /** Of the bank's own users: their own id, for they are no client's. */
  clientId: string;
  userId: string;
}

/** A user whom the bank itself has logged in: their visits are counted by themselves, and crowd out nobody else's. */
export function sessionOfBankUser(userId: string): UserSession {
  return { clientId: userId, userId };
}

const MINUTE_MS = 60_000;

/** A session ends when nothing came for so long. */
export const SESSION_IDLE_MS = 15 * MINUTE_MS;

/** It ends in any case. */
export const LONGEST_SESSION_MS = 8 * 60 * MINUTE_MS;

/** Of one client; with one more, the one unused for longest ends. Whoever knows a client's id can start them. */
export const MOST_SESSIONS_PER_CLIENT = 100;
