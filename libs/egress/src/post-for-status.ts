import { ConnectTimeout, EgressForbidden, TimeUp } from './faults.ts';
import type { GuardedAgent } from './guarded-agent.ts';

export interface PostForStatus {
  /** Scheme, host and port, as `URL.origin` has them. */
  origin: string;
  /** With the query. */
  path: string;
  /** Names and values in turn. */
  headers: readonly string[];
  body: Uint8Array;
  /** Of a longer answer no more is read: the connection is given up instead. */
  maxBytes: number;
  /** So many bytes of an answer that is no 2xx are handed back. */
  excerptBytes: number;
  /** Milliseconds for everything: name, connection, request, answer. */
  timeLimit: number;
}

/** The final status, its headers and, where it is no 2xx, how its body begins; or no answer in time, no permission to connect, no connection or no HTTP. */
export type StatusOrFault =
  | { status: number; retryAfter: string | undefined; excerpt: Buffer }
  | { fault: 'timeout' | 'forbidden' | 'unreachable' };

/**
 * Makes one POST of which only the status matters: it decides, however the rest of the answer goes, which is read to keep the
 * connection and, but for the beginning of a refusal, lost without harm. Redirects are not followed. Never rejects.
 */
export async function postForStatus(agent: GuardedAgent, request: PostForStatus): Promise<StatusOrFault> {
  const { excerptBytes } = request;
  const { answer, fault } = await agent.exchange({
    ...request,
    method: 'POST',
    keptBytes: (status) => (status < 300 ? 0 : excerptBytes),
  });
  if (answer === undefined) return { fault: wordFor(fault) };
  const { status, retryAfter, body: excerpt } = answer;
  return { status, retryAfter, excerpt };
}

function wordFor(fault: Error | undefined): 'timeout' | 'forbidden' | 'unreachable' {
  if (fault instanceof EgressForbidden) return 'forbidden';
  return fault instanceof TimeUp || fault instanceof ConnectTimeout ? 'timeout' : 'unreachable';
}
