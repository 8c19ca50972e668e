import type { ErrorCode } from '@kontoport/errors';
import { context, trace } from '@opentelemetry/api';
import { getRPCMetadata } from '@opentelemetry/core';

/**
 * Adds to the active span of a request what our route list knows of it.
 * @param answered.path where the request was answered, as its route declares it, prefix included; undefined when no route took the
 *   request: no template stands for its path then, and none is recorded
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
