import type { Db } from '../gen/db.ts';
import {
  LONGEST_SESSION_MS,
  MAX_SESSIONS_PER_CLIENT,
  SESSION_IDLE_MS,
  type UserSession,
} from './user-session.model.ts';

const BATCH = 1_000;

/** SHA-256 of the secret of a session. */
type SessionKey = { idHash: Uint8Array<ArrayBuffer> };

/**
 * Stores a session by the SHA-256 of its secret. Beyond the limit of a client, its least recently used sessions end.
 * SQL: a lock that enforces the limit, and a batch.
 */
export function insertSession(
  db: Db,
  { idHash, clientId, userId, now }: UserSession & SessionKey & { now: Date },
): Promise<void> {
  const expiresAt = new Date(now.getTime() + SESSION_IDLE_MS);
  return db.prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('user_session ' || ${clientId}, 0))`;
    // OFFSET 0 makes the planner read this client's sessions first; otherwise it may read those of all clients in order.
    await tx.$executeRaw`
      DELETE FROM user_session WHERE id_hash = ANY (ARRAY(
        SELECT id_hash FROM (
          SELECT id_hash, expires_at FROM user_session WHERE client_id = ${clientId}::uuid OFFSET 0
        ) AS own ORDER BY expires_at DESC, id_hash OFFSET ${MAX_SESSIONS_PER_CLIENT - 1}))`;
    await tx.userSession.create({ data: { idHash, clientId, userId, startedAt: now, expiresAt } });
  });
}

/** Finds a live session and restarts its idle time. */
export async function prolongSession(
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
  // Another request may have ended it since.
  const { count } = await userSession.updateMany({ where: { idHash }, data: { expiresAt } });
  return count === 1 ? { clientId, userId } : undefined;
}

/** Deletes a session, if it exists. */
export async function deleteSession(db: Db, { idHash }: SessionKey): Promise<void> {
  await db.prisma.userSession.deleteMany({ where: { idHash } });
}

/** Deletes a batch of expired sessions. SQL: a batch. @returns whether there may be more */
export async function deleteExpiredSessions(db: Db, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `DELETE FROM user_session WHERE id_hash = ANY (ARRAY(
       SELECT id_hash FROM user_session WHERE expires_at <= $1
       ORDER BY expires_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
    [now],
  );
  return rowCount === BATCH;
}
