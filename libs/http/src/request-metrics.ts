import type { ErrorCode } from '@kontoport/errors';
import { durationsOf, levelOf } from '@kontoport/runtime';

const durations = durationsOf({
  name: 'http.server.request.duration',
  help: 'How long requests took until their answers left, by route and status; error_type is the code of a refusal.',
});
const underWay = levelOf({ name: 'http.server.active_requests', help: 'Requests that are being answered.' });

/** A caller may invent methods. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/**
 * Counts an answered request.
 * @param started when it came, in milliseconds of the monotonic clock
 * @param answer.route the path as its route declares it; undefined when no route took the request
 */
export function measureRequest(
  started: number,
  answer: { method: string; route: string | undefined; status: number; errorCode: ErrorCode | undefined },
): void {
  const { method, route, status, errorCode } = answer;
  durations.since(started, {
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    ...(route === undefined ? {} : { 'http.route': route }),
    'http.response.status_code': status,
    ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
  });
}

/** A request came (1), or its answer has ended (-1). */
export function countUnderWay(change: 1 | -1): void {
  underWay.add(change);
}
