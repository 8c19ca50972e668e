import type { Tx } from '@kontoport/database';
import { QUESTION_WINDOW_SECONDS } from './question-limit.model.ts';

/**
 * Counts a question of a client about an account, over all replicas, in a window that starts with its first question. SQL
 * (upsert that returns): it uses the table of the rate limits, whose rows are deleted after their windows.
 */
export async function countQuestion(
  tx: Tx,
  { clientId, accountId }: { clientId: string; accountId: string },
): Promise<{ questions: number; secondsLeft: number }> {
  const { rows } = await tx.query<{ questions: string; seconds_left: number }>({
    name: 'count-funds-question',
    text: `INSERT INTO request_usage AS known (key, ends_at, requests)
VALUES ($1, now() + $2 * interval '1 second', 1)
ON CONFLICT (key) DO UPDATE SET
  ends_at = CASE WHEN known.ends_at > now() THEN known.ends_at ELSE excluded.ends_at END,
  requests = CASE WHEN known.ends_at > now() THEN known.requests ELSE 0 END + 1
RETURNING requests AS questions, ceil(extract(epoch FROM ends_at - now()))::int AS seconds_left`,
    values: [`funds-confirmation ${clientId} ${accountId}`, QUESTION_WINDOW_SECONDS],
  });
  const [{ questions, seconds_left: secondsLeft }] = rows as [(typeof rows)[0]];
  return { questions: Number(questions), secondsLeft };
}
