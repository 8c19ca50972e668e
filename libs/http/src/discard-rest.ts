import type { IncomingMessage } from 'node:http';
import { LINGER_MS } from './broken-request.ts';

/** As much of an unread body is read and dropped. */
export const MAX_DISCARDED_BYTES = 1024 * 1024;
/** For a caller that sends slowly, or no more. */
const DISCARD_LIMIT_MS = 10_000;

/**
 * Reads and drops what a caller still sends of a request that is answered already: a connection closed under it could
 * take the answer with it (RFC 9112 §9.6). After 1 MB nothing more is read, and the caller has a second to notice.
 * @param done called once: when everything came, the caller has gone, or the bounds are reached
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
