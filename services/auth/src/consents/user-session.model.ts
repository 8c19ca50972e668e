/** Who is logged in. In the sandbox the users are a client's own, so a session is about one client. */
export interface UserSession {
  clientId: string;
  userId: string;
}

const MINUTE_MS = 60_000;

/** A session ends when nothing came for so long. */
export const SESSION_IDLE_MS = 15 * MINUTE_MS;

/** It ends in any case. */
export const LONGEST_SESSION_MS = 8 * 60 * MINUTE_MS;

/** Of one client; with one more, the one unused for longest ends. Whoever knows a client's id can start them. */
export const MOST_SESSIONS_PER_CLIENT = 100;
