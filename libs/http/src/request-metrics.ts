import { ERROR_CODES, type ErrorCode } from '@kontoport/errors';
import { type Durations, durationsOf, levelOf } from '@kontoport/runtime';
import type { Route } from './route.ts';

const durations = durationsOf({
  name: 'http.server.request.duration',
  help: 'How long requests took until their answers left, by route and status; error_type is the code of a refusal.',
});
const underWay = levelOf({ name: 'http.server.active_requests', help: 'Requests that are being answered.' });

/** A caller may invent methods. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** What was answered to a request. */
interface Answered {
  method: string;
  /** The path as its route declares it; undefined when no route took the request. */
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

/** Whatever is asked may end so. */
const FAULTS = ['INTERNAL_ERROR', 'UNAVAILABLE'] as const satisfies ErrorCode[];

/**
 * The same for one route, whose series are found once: there is one for each status that its answers have. Those that say how an
 * interface does are there before anything is asked, for a rate sees no count that begins with 1.
 */
export function measureRoute(
  declared: Pick<Route, 'method' | 'path' | 'answers'>,
): (started: number, answer: Omit<Answered, 'route'>) => void {
  const { method: declaredMethod, path: route, answers } = declared;
  const begin = (status: number, errorCode?: ErrorCode): void =>
    void durations.of(labelsOf({ method: declaredMethod, route, status, errorCode }));
  for (const status of Object.keys(answers)) begin(Number(status));
  for (const code of FAULTS) begin(ERROR_CODES[code].status, code);
  const series = new Map<string, Map<number, Durations>>();
  return (started, answer) => {
    const { method, status, errorCode } = answer;
    if (errorCode !== undefined) return measureRequest(started, { ...answer, route });
    const known = series.get(method)?.get(status);
    if (known !== undefined) return known.since(started);
    const added = durations.of(labelsOf({ ...answer, route }));
    series.set(method, (series.get(method) ?? new Map<number, Durations>()).set(status, added));
    added.since(started);
  };
}

/** As the conventions have it. */
export const methodLabel = (method: string): string => (METHODS.has(method) ? method : '_OTHER');

function labelsOf({ method, route, status, errorCode }: Answered) {
  return {
    'http.request.method': methodLabel(method),
    ...(route === undefined ? {} : { 'http.route': route }),
    'http.response.status_code': status,
    ...(errorCode === undefined ? {} : { 'error.type': errorCode }),
  };
}

/** A request came (1), or its answer has ended (-1). */
export function countUnderWay(change: 1 | -1): void {
  underWay.add(change);
}
