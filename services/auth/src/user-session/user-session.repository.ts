import type { Db } from '../gen/db.ts';
import {
  LONGEST_SESSION_MS,
  MOST_SESSIONS_PER_CLIENT,
  SESSION_IDLE_MS,
  type UserSession,
} from './user-session.model.ts';

const FORGOTTEN_AT_A_TIME = 1_000;

/** SHA-256 of the secret of a session. */
type SessionKey = { idHash: Uint8Array<ArrayBuffer> };

/**
 * Stores a session by the SHA-256 of its secret; the oldest of its client give way to it.
 * SQL: a lock keeps the client to its bound, and those are a batch.
 */
export function startSession(
  db: Db,
  { idHash, clientId, userId, now }: UserSession & SessionKey & { now: Date },
): Promise<void> {
  const expiresAt = new Date(now.getTime() + SESSION_IDLE_MS);
  return db.prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('user_session ' || ${clientId}, 0))`;
    // The client's first, and then in their order: in the order of all sessions the planner would read those of others.
    await tx.$executeRaw`
      DELETE FROM user_session WHERE id_hash = ANY (ARRAY(
        SELECT id_hash FROM (
          SELECT id_hash, expires_at FROM user_session WHERE client_id = ${clientId}::uuid OFFSET 0
        ) AS own ORDER BY expires_at DESC, id_hash OFFSET ${MOST_SESSIONS_PER_CLIENT - 1}))`;
    await tx.userSession.create({ data: { idHash, clientId, userId, startedAt: now, expiresAt } });
  });
}

/** Finds a live session and prolongs it by its idle time from now. */
export async function useSession(
  db: Db,
  { idHash, now }: SessionKey & { now: Date },
): Promise<UserSession | undefined> {
  const { userSession } = db.prisma;
  const found = await userSession.findUnique({ where: { idHash } });
  if (found === null || found.expiresAt <= now) return undefined;
  const { clientId, userId, startedAt } = found;
  const expiresAt = new Date(
    Math.min(now.getTime() + SESSION_IDLE_MS, startedAt.getTime() + LONGEST_SESSION_MS),
  );
  // It may have been ended since.
  const { count } = await userSession.updateMany({ where: { idHash }, data: { expiresAt } });
  return count === 1 ? { clientId, userId } : undefined;
}

/** Ends a session; one that is over already is none. */
export async function endSession(db: Db, { idHash }: SessionKey): Promise<void> {
  await db.prisma.userSession.deleteMany({ where: { idHash } });
}

/** Forgets sessions that have ended. SQL: a batch. @returns whether there may be more */
export async function forgetSessions(db: Db, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `DELETE FROM user_session WHERE id_hash = ANY (ARRAY(
       SELECT id_hash FROM user_session WHERE expires_at <= $1
       ORDER BY expires_at LIMIT ${FORGOTTEN_AT_A_TIME} FOR UPDATE SKIP LOCKED))`,
    [now],
  );
  return rowCount === FORGOTTEN_AT_A_TIME;
}
