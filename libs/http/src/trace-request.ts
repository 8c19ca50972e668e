import { inServerSpan } from '@kontoport/runtime';
import type { Step } from './request-context.ts';

/** Runs the rest of the request in a span of the caller's trace, or of a new one. */
export const traceRequest: Step = function traceRequest({ headers: { traceparent } }, _response, next) {
  inServerSpan(typeof traceparent === 'string' ? traceparent : undefined, next);
};
