import { randomUUID } from 'node:crypto';
import { headerValues, type RawHeaders } from './header-values.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The id of a request (§4): the caller's where it is usable, else a new one. It correlates; only where a clause says so
 * does a given one make a call repeatable (§4.2, §4.5), and a new one never does.
 */
export interface RequestId {
  requestId: string;
  givenRequestId: string | undefined;
  /** What the caller sent as X-Request-Id is unusable. */
  badRequestId: boolean;
}

/** Reads `X-Request-Id`: 1 to 128 letters, digits, dots, dashes or underscores, sent once. */
export function requestIdOf(request: RawHeaders): RequestId {
  const [given, more] = headerValues(request, 'x-request-id');
  const usable = given !== undefined && more === undefined && REQUEST_ID.test(given);
  return {
    requestId: usable ? given : randomUUID(),
    givenRequestId: usable ? given : undefined,
    badRequestId: given !== undefined && !usable,
  };
}
