import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Db } from '../gen/db.ts';
import { readCookie, setCookie } from './cookie.ts';
import type { UserSession } from './user-session.model.ts';
import { endSession, startSession, useSession } from './user-session.repository.ts';

/** Names the session of a user of the bank. */
export const SESSION_COOKIE = '__Host-kontoport-session';

/** A session, with the secret of its cookie. */
export type LiveSession = UserSession & { secret: string };

const hashOf = (secret: string): Uint8Array<ArrayBuffer> => createHash('sha256').update(secret).digest();

/** The session that a request belongs to, whose idle time begins anew; undefined when there is none, or none any more. */
export async function sessionOf(
  db: Db,
  { headers, now }: { headers: IncomingHttpHeaders; now: Date },
): Promise<LiveSession | undefined> {
  const secret = readCookie(headers, SESSION_COOKIE);
  if (secret === undefined) return undefined;
  const session = await useSession(db, { idHash: hashOf(secret), now });
  return session && { ...session, secret };
}

/**
 * Begins a session under a new secret, and ends the one that the request came with.
 * @returns the cookie
 */
export async function logIn(
  db: Db,
  { headers, user, now }: { headers: IncomingHttpHeaders; user: UserSession; now: Date },
): Promise<string> {
  const before = readCookie(headers, SESSION_COOKIE);
  if (before !== undefined) await endSession(db, { idHash: hashOf(before) });
  const secret = randomBytes(32).toString('base64url');
  await startSession(db, { ...user, idHash: hashOf(secret), now });
  return setCookie(SESSION_COOKIE, secret);
}

/** Ends it; whoever has its cookie has nothing any more. */
export function logOut(db: Db, { secret }: LiveSession): Promise<void> {
  return endSession(db, { idHash: hashOf(secret) });
}
