import { faultReason, type NoAnswerReason } from './faults.ts';
import type { GuardedAgent } from './guarded-agent.ts';

export interface PostForStatus {
  /** Scheme, host and port, as `URL.origin` has them. */
  origin: string;
  /** Path and query. */
  path: string;
  /** Names and values in turn. */
  headers: readonly string[];
  body: Uint8Array;
  /** A longer body ends the connection. */
  maxBytes: number;
  /** Bytes of an answer that is no 2xx that the caller gets. */
  excerptBytes: number;
  /** Milliseconds for everything: name, connection, request, answer. */
  timeLimit: number;
}

/** The final status, its Retry-After and, unless it is a 2xx, the beginning of its body; or why there is none. */
export type StatusOrFault =
  | { status: number; retryAfter: string | undefined; excerpt: Buffer }
  | { fault: NoAnswerReason };

/**
 * Makes one POST of which only the status matters. The rest of the answer is read to keep the connection; its loss does no
 * harm. Redirects are not followed. Never rejects.
 */
export async function postForStatus(agent: GuardedAgent, request: PostForStatus): Promise<StatusOrFault> {
  const { excerptBytes } = request;
  const { answer, fault } = await agent.exchange({
    ...request,
    method: 'POST',
    keptBytes: (status) => (status < 300 ? 0 : excerptBytes),
  });
  if (answer === undefined) return { fault: faultReason(fault!) as NoAnswerReason };
  const { status, retryAfter, body: excerpt } = answer;
  return { status, retryAfter, excerpt };
}
