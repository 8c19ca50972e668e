import type { ErrorCode } from '@kontoport/errors';
import { context, trace } from '@opentelemetry/api';
import { getRPCMetadata } from '@opentelemetry/core';

/**
 * Adds the route and the error code to the active span of a request.
 * @param answered.path the declared path with its prefix; undefined when no route matched, and then none is recorded
 */
export function describeRequestSpan(answered: {
  path: string | undefined;
  errorCode: ErrorCode | undefined;
}): void {
  const { path, errorCode } = answered;
  const span = trace.getActiveSpan();
  if (!span?.isRecording()) return;
  if (errorCode !== undefined) span.setAttribute('kontoport.error_code', errorCode);
  if (path === undefined) return;
  span.setAttribute('url.path', path);
  // The instrumentation of HTTP names the span by it.
  const metadata = getRPCMetadata(context.active());
  if (metadata !== undefined) metadata.route = path;
}
