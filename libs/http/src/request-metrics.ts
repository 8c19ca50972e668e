import { ERROR_CODES, type ErrorCode } from '@kontoport/errors';
import { durationHistogram, upDownCounter } from '@kontoport/telemetry';
import type { Route } from './route.ts';

const durations = durationHistogram({
  name: 'http.server.request.duration',
  help: 'Duration of requests until the answer was sent, by route and status; error_type is the code of a rejection.',
});
const inFlight = upDownCounter({
  name: 'http.server.active_requests',
  help: 'Number of requests in flight.',
});

/** A caller may invent methods. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** The answer to a request. */
interface Answered {
  method: string;
  /** The declared path of the route; undefined when no route matched. */
  route: string | undefined;
  status: number;
  errorCode: ErrorCode | undefined;
}

/**
 * Counts an answered request.
 * @param started when it came, in milliseconds of the monotonic clock
 */
export function measureRequest(started: number, answer: Answered): void {
  durations.since(started, labelsOf(answer));
}

/** Refusals that every route may answer with. */
const FAULTS = ['INTERNAL_ERROR', 'UNAVAILABLE'] as const satisfies ErrorCode[];

/** Begins the series of a route at 0, since a rate misses a count that begins with 1. */
export function declareDurations({ method, path: route, answers }: Route): void {
  const begin = (status: number, errorCode?: ErrorCode): void =>
    void durations.of(labelsOf({ method, route, status, errorCode }));
  for (const status of Object.keys(answers)) begin(Number(status));
  for (const code of FAULTS) begin(ERROR_CODES[code].status, code);
}

/** The method by the semantic conventions. */
export const methodLabel = (method: string): string => (METHODS.has(method) ? method : '_OTHER');

function labelsOf({ method, route, status, errorCode }: Answered) {
  return {
    'http.request.method': methodLabel(method),
    ...(route === undefined ? {} : { 'http.route': route }),
    'http.response.status_code': status,
    ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
  };
}

/** Counts a request that began (1) or whose answer ended (-1). */
export function countInFlight(change: 1 | -1): void {
  inFlight.add(change);
}
