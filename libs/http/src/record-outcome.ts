import type { ApiError } from '@kontoport/errors';
import { describeError, type Logger } from '@kontoport/lifecycle';
import type { StepRequest, StepResponse } from './request-context.ts';
import { measureRequest } from './request-metrics.ts';
import { describeRequestSpan } from './request-span.ts';

/** Counts an answered request, describes its span and writes its one log line. No path is logged, since it carries account ids. */
export function recordOutcome(
  request: StepRequest,
  response: StepResponse,
  { logger, refusal }: { logger: Logger; refusal?: ApiError },
): void {
  const { context } = response.locals;
  const { started, requestId, route, path, caller } = context;
  const { method } = request;
  const status = response.statusCode;
  const errorCode = refusal?.code;
  measureRequest(started, { method, route: route?.path, status, errorCode });
  describeRequestSpan({ path, errorCode });
  const fields = {
    method,
    ...(route && { route: route.path }),
    status,
    milliseconds: Math.round(performance.now() - started),
    requestId,
    ...(caller?.clientId !== undefined && { clientId: caller.clientId }),
  };
  if (refusal === undefined) return logger.info(fields, 'request');
  const level = refusal.code === 'INTERNAL_ERROR' ? 'error' : refusal.status === 503 ? 'warn' : 'info';
  const isSilent = level === 'info' || refusal.cause === undefined;
  const error = isSilent ? {} : { error: describeError(refusal.cause) };
  logger[level]({ ...fields, errorCode: refusal.code, ...error }, 'request');
}
