/** A logged-in user. In the sandbox each client has its own simulated users, so a session belongs to one client. */
export interface UserSession {
  /** The user's own id for users of the bank, who belong to no client. */
  clientId: string;
  userId: string;
}

/** The session of a user of the bank. Its limit is counted per user, so users do not end each other's sessions. */
export function sessionOfBankUser(userId: string): UserSession {
  return { clientId: userId, userId };
}

const MINUTE_MS = 60_000;

/** A session ends after this time without use (Delegated Regulation (EU) 2018/389, article 4(3)(d): at most 5 minutes). */
export const SESSION_IDLE_MS = 5 * MINUTE_MS;

/** The maximum lifetime of a session. */
export const LONGEST_SESSION_MS = 8 * 60 * MINUTE_MS;

/** Sessions of one client: in the sandbox anybody with a client's id can start them. */
export const MAX_SESSIONS_PER_CLIENT = 100;
