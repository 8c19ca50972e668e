import { Agent } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { ConnectionError, KontoportError } from './errors.ts';
import type { ClientOptions } from './options.ts';
import type { PreparedCall } from './prepare.ts';
import { retryAfterMs, waitMs } from './retry.ts';
import { type Answer, exchange } from './transport.ts';

/** Sends calls over mutual TLS, and repeats those that failed for a moment. */
export interface Sender {
  /** @throws KontoportError, ConnectionError, or the reason of the signal */
  send(call: PreparedCall): Promise<Answer>;
  close(): void;
}

/** Makes a sender, which keeps its connections. */
export function createSender(options: ClientOptions): Sender {
  const { cert, key, ca, timeoutMs = 30_000, maxRetries = 3, maxRetryAfterMs = 60_000 } = options;
  const agent = new Agent({ cert, key, ca, keepAlive: true });

  async function attempt(call: PreparedCall): Promise<Answer> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    const { method, url, headers, body } = call;
    try {
      return await exchange({ method: method.toUpperCase(), url, headers, body, agent, signal });
    } catch (error) {
      call.signal?.throwIfAborted();
      throw new ConnectionError(url.origin, timeout.aborted ? timeout.reason : error);
    }
  }

  async function send(call: PreparedCall): Promise<Answer> {
    for (let retries = 0; ; retries++) {
      const canRetry = call.isRepeatable && retries < maxRetries;
      let asked: number | undefined;
      try {
        const answer = await attempt(call);
        if (answer.status < 300) return answer;
        asked = retryAfterMs(answer.headers, Date.now());
        const isTemporary = answer.status === 429 || answer.status === 503;
        if (!isTemporary || !canRetry || (asked ?? 0) > maxRetryAfterMs)
          throw new KontoportError(answer, { origin: call.url.origin, retryAfterMs: asked });
      } catch (error) {
        // A DELETE whose answer was lost would find nothing the second time.
        if (!(error instanceof ConnectionError) || !canRetry || call.method === 'delete') throw error;
      }
      const wait = waitMs(retries, { asked, chance: Math.random() });
      await pause(wait, undefined, { signal: call.signal }).catch(() => call.signal?.throwIfAborted());
    }
  }

  return { send, close: () => agent.destroy() };
}
