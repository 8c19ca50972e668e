import type { ApiError } from '@kontoport/errors';
import { describeError, type Logger } from '@kontoport/lifecycle';
import type { StepRequest, StepResponse } from './request-context.ts';
import { measureRequest } from './request-metrics.ts';
import { describeRequestSpan } from './request-span.ts';

/** An answered request of an organization, for its request log. It has no path, query or body. */
export interface AnsweredRequest {
  organization: string;
  clientId: string | undefined;
  at: Date;
  requestId: string;
  method: string;
  /** The declared path of the route. */
  route: string;
  status: number;
  milliseconds: number;
  refusal: ApiError | undefined;
}

/** The receivers of an outcome. */
export interface OutcomeDeps {
  logger: Logger;
  /** Called with each answered request whose certificate was accepted. Absent where no request log is kept. */
  recordRequest?: ((request: AnsweredRequest) => void) | undefined;
}

/** Counts an answered request, describes its span and writes its one log line. No path is logged, since it carries account ids. */
export function recordOutcome(
  request: StepRequest,
  response: StepResponse,
  { logger, recordRequest, refusal }: OutcomeDeps & { refusal?: ApiError },
): void {
  const { context } = response.locals;
  const { now: at, started, requestId, route, path, identity, isSimulated } = context;
  const { organization, clientId } = identity;
  const { method } = request;
  const status = response.statusCode;
  const errorCode = refusal?.code;
  if (!isSimulated) measureRequest(started, { method, route: route?.path, status, errorCode });
  describeRequestSpan({ path, errorCode });
  const milliseconds = Math.round(performance.now() - started);
  if (organization !== undefined && route !== undefined)
    recordRequest?.({
      organization,
      clientId,
      at,
      requestId,
      method,
      route: route.path,
      status,
      milliseconds,
      refusal,
    });
  const fields = {
    method,
    ...(route && { route: route.path }),
    status,
    milliseconds,
    requestId,
    ...(clientId !== undefined && { clientId }),
    ...(isSimulated && { simulated: true }),
  };
  if (refusal === undefined) return logger.info(fields, 'request');
  const isOutage = refusal.status === 503 && !isSimulated;
  const level = refusal.code === 'INTERNAL_ERROR' ? 'error' : isOutage ? 'warn' : 'info';
  const isSilent = level === 'info' || refusal.cause === undefined;
  const error = isSilent ? {} : { error: describeError(refusal.cause) };
  logger[level]({ ...fields, errorCode: refusal.code, ...error }, 'request');
}
