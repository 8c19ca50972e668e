import type { Dispatcher } from 'undici';
import { ChunkCollector } from './chunk-collector.ts';
import { EgressFault } from './faults.ts';

/** A request, and the bounds of its answer. */
export interface BoundedExchange {
  /** Scheme, host and port, as `URL.origin` has them. */
  origin: string;
  method: 'GET' | 'POST';
  /** Path and query. */
  path: string;
  /** Names and values in turn. */
  headers: readonly string[];
  body?: Uint8Array | undefined;
  /** A longer body ends the connection. */
  maxBytes: number;
  /** Bytes of the body that the caller gets, by the status. */
  keptBytes: (status: number) => number;
  /** Milliseconds for everything: name, connection, request, answer. */
  timeLimit: number;
}

/** The outcome of a request: an answer, with a fault if it is incomplete; or the fault alone. */
export interface Outcome {
  answer: { status: number; retryAfter: string | undefined; body: Buffer } | undefined;
  fault: Error | undefined;
}

/** Interim answers (1xx) to one request. */
const MAX_INTERIM = 20;
const SWITCHING_PROTOCOLS = 101;

/** Makes one request. Redirects are not followed. Never rejects. */
export async function exchange(dispatcher: Dispatcher, request: BoundedExchange): Promise<Outcome> {
  const { origin, method, path, headers, body, maxBytes, keptBytes, timeLimit } = request;
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(new EgressFault('timeout', 'no answer in time')), timeLimit);
  let interim = 0;
  const onInfo = ({ statusCode }: { statusCode: number }): void => {
    interim += 1;
    if (statusCode === SWITCHING_PROTOCOLS)
      ended.abort(new EgressFault('protocol', 'the peer switches protocols'));
    else if (interim > MAX_INTERIM)
      ended.abort(new EgressFault('answer-too-long', 'too many interim answers'));
  };
  const collected = new ChunkCollector();
  let head: { status: number; retryAfter: string | undefined } | undefined;
  let fault: Error | undefined;
  try {
    const answer = await dispatcher.request({
      origin,
      method,
      path,
      headers: headers as string[],
      body: body ?? null,
      signal: ended.signal,
      onInfo,
    });
    head = { status: answer.statusCode, retryAfter: answer.headers['retry-after']?.toString() };
    let left = keptBytes(head.status);
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      collected.add(chunk.subarray(0, left));
      left = Math.max(0, left - chunk.length);
      // Leaving the loop ends the connection.
      if (bytes > maxBytes) throw new EgressFault('body-too-long', 'the body is too long');
    }
  } catch (error) {
    fault = error as Error;
  } finally {
    clearTimeout(timer);
  }
  return { answer: head && { ...head, body: collected.bytes() }, fault };
}
