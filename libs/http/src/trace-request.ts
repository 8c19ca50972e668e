import { withTrace } from '@kontoport/telemetry';
import type { Step } from './request-context.ts';

/** Runs the rest of the request within a trace that begins here: a caller never decides which trace it is, or whether it is recorded. */
export const traceRequest: Step = function traceRequest(_request, _response, next) {
  withTrace(undefined, next);
};
