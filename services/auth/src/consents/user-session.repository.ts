// SQL: a use is one statement that decides and writes; a start keeps to the client's bound under a lock.
import { inTransaction } from '@kontoport/database';
import type { Db } from '../gen/db.ts';
import {
  LONGEST_SESSION_MS,
  MOST_SESSIONS_PER_CLIENT,
  SESSION_IDLE_MS,
  type UserSession,
} from './user-session.model.ts';

const FORGOTTEN_AT_A_TIME = 1_000;

/** Stores a session by the SHA-256 of its secret. */
export async function startSession(
  db: Db,
  { idHash, clientId, userId, now }: UserSession & { idHash: Buffer; now: Date },
): Promise<void> {
  const expiresAt = new Date(now.getTime() + SESSION_IDLE_MS);
  await inTransaction(db, async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('user_session ' || $1::text, 0))", [
      clientId,
    ]);
    await tx.query(
      // The client's first, and then in their order: in the order of all sessions the planner would read those of others.
      `DELETE FROM user_session WHERE id_hash = ANY (ARRAY(
         SELECT id_hash FROM (SELECT id_hash, expires_at FROM user_session WHERE client_id = $1 OFFSET 0) AS own
         ORDER BY expires_at DESC, id_hash OFFSET $2))`,
      [clientId, MOST_SESSIONS_PER_CLIENT - 1],
    );
    await tx.query(
      'INSERT INTO user_session (id_hash, client_id, user_id, started_at, expires_at) VALUES ($1, $2, $3, $4, $5)',
      [idHash, clientId, userId, now, expiresAt],
    );
  });
}

/** A live session, which lives on for its idle time from now. */
export async function useSession(
  db: Db,
  { idHash, now }: { idHash: Buffer; now: Date },
): Promise<UserSession | undefined> {
  const { rows } = await db.query<{ client_id: string; user_id: string }>(
    // The difference, since by the end alone the planner could read all live sessions.
    `UPDATE user_session SET expires_at = least($3, started_at + $4 * interval '1 millisecond')
      WHERE id_hash = $1 AND expires_at - $2::timestamptz > interval '0'
      RETURNING client_id, user_id`,
    [idHash, now, new Date(now.getTime() + SESSION_IDLE_MS), LONGEST_SESSION_MS],
  );
  const [row] = rows;
  return row && { clientId: row.client_id, userId: row.user_id };
}

/** Ends a session; one that is over already is none. */
export async function endSession(db: Db, idHash: Buffer): Promise<void> {
  await db.query('DELETE FROM user_session WHERE id_hash = $1', [idHash]);
}

/** Forgets sessions that have ended. @returns whether there may be more */
export async function forgetSessions(db: Db, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `DELETE FROM user_session WHERE id_hash = ANY (ARRAY(
       SELECT id_hash FROM user_session WHERE expires_at <= $1
       ORDER BY expires_at LIMIT ${FORGOTTEN_AT_A_TIME} FOR UPDATE SKIP LOCKED))`,
    [now],
  );
  return rowCount === FORGOTTEN_AT_A_TIME;
}
