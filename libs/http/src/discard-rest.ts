import type { IncomingMessage } from 'node:http';
import { LINGER_MS } from './broken-request.ts';

/** Bytes of an unread body that are read and dropped. */
export const MAX_DISCARDED_BYTES = 1024 * 1024;
/** Milliseconds for a caller that sends slowly or not at all. */
const DISCARD_LIMIT_MS = 10_000;

/**
 * Reads and drops the rest of a request that is answered already, because an immediate close could discard the answer
 * (RFC 9112 §9.6). Stops reading after 1 MB and waits one more second.
 * @param done called once: at the end of the request, when the caller closes, or at a bound
 */
export function discardRest(request: IncomingMessage, done: () => void): void {
  let discarded = 0;
  let limit = setTimeout(() => finish(), DISCARD_LIMIT_MS).unref();
  const drop = (chunk: Buffer): void => {
    discarded += chunk.length;
    if (discarded <= MAX_DISCARDED_BYTES) return;
    request.off('data', drop);
    request.pause();
    clearTimeout(limit);
    limit = setTimeout(() => finish(), LINGER_MS).unref();
  };
  const finish = (): void => {
    clearTimeout(limit);
    request.off('data', drop).off('end', finish).off('close', finish);
    done();
  };
  request.on('data', drop).once('end', finish).once('close', finish);
  request.resume();
}
