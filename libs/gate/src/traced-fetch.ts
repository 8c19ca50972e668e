import type { BoundedRequest, Fetched } from '@kontoport/egress';
import { type SpanAttributes, startHttpSpan, traceparentOf } from '@kontoport/runtime';
import type { FetchImplementation } from 'jose';

/** `ask` with a span where it is asked for in a trace that is recorded. */
export function tracedKeys(ask: FetchImplementation): FetchImplementation {
  return async (url, options) => {
    const span = startHttpSpan({ method: options.method, url: new URL(url) });
    if (span === undefined) return ask(url, options);
    options.headers.set('traceparent', traceparentOf(span));
    try {
      const response = await ask(url, options);
      const { status } = response;
      span.end({ attributes: { 'http.response.status_code': status }, isError: status >= 400 });
      return response;
    } catch (error) {
      span.end({ attributes: { 'error.type': (error as Error).name }, isError: true });
      throw error;
    }
  };
}

/** The same of a request to others, who learn nothing of the trace. */
export async function tracedLookUp(
  ask: (request: BoundedRequest) => Promise<Fetched>,
  request: BoundedRequest,
): Promise<Fetched> {
  const url = URL.parse(request.url);
  const span = url === null ? undefined : startHttpSpan({ method: request.method, url });
  const fetched = await ask(request);
  // Its words are of a closed list, but for the status in some of them.
  const attributes: SpanAttributes =
    'fault' in fetched ? { 'error.type': fetched.fault } : { 'http.response.status_code': 200 };
  if (span) span.end({ attributes, isError: 'fault' in fetched });
  return fetched;
}
