import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../gen/db.ts';
import type { UserSession } from './user-session.model.ts';
import { deleteSession, insertSession, prolongSession } from './user-session.repository.ts';

/** Holds the secret of a session. */
export const SESSION_COOKIE = '__Host-kontoport-session';

const hashOf = (secret: string): Uint8Array<ArrayBuffer> => createHash('sha256').update(secret).digest();

/** Starts a session. @returns its secret, of which the database stores only the SHA-256 */
export async function startSession(db: Db, session: UserSession & { now: Date }): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await insertSession(db, { ...session, idHash: hashOf(secret) });
  return secret;
}

/** Finds a live session and restarts its idle time. */
export function useSession(
  db: Db,
  { secret, now }: { secret: string; now: Date },
): Promise<UserSession | undefined> {
  return prolongSession(db, { idHash: hashOf(secret), now });
}

/** Ends a session; does nothing when it has ended. */
export function endSession(db: Db, { secret }: { secret: string }): Promise<void> {
  return deleteSession(db, { idHash: hashOf(secret) });
}
