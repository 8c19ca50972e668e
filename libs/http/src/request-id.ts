import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The id of a request (§4): the caller's valid one, or a new one. It correlates logs. In §4.2 and
 * §4.5 the caller's id also makes a call repeatable.
 */
export interface RequestId {
  requestId: string;
  givenRequestId: string | undefined;
  /** The caller sent an unusable `X-Request-Id`. */
  badRequestId: boolean;
}

/** Reads `X-Request-Id`: 1 to 128 letters, digits, dots, dashes or underscores. Node joins two of them by a comma. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): RequestId {
  const given = headers['x-request-id'];
  const usable = typeof given === 'string' && REQUEST_ID.test(given) ? given : undefined;
  return {
    requestId: usable ?? randomUUID(),
    givenRequestId: usable,
    badRequestId: given !== undefined && usable === undefined,
  };
}
