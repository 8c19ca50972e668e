import { randomUUID } from 'node:crypto';
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseTraceParent } from '@opentelemetry/core';

// The log, the outbox and webhooks carry the trace of a request where nothing is recorded, too.
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** Makes the spans of our own code; they are recorded once the SDK has started. */
export const tracer = trace.getTracer('kontoport');

/** Returns the active place in a trace, or nothing outside of a trace. */
export function activeSpanContext(): SpanContext | undefined {
  const span = trace.getSpanContext(context.active());
  return span && isSpanContextValid(span) ? span : undefined;
}

/** Returns the active place in a trace as a W3C `traceparent`, or nothing outside of a trace. */
export function activeTraceparent(): string | undefined {
  const span = activeSpanContext();
  return span && traceparentOf(span);
}

/** Writes a place in a trace as a W3C `traceparent`. */
export function traceparentOf(span: SpanContext): string {
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** Reads a W3C `traceparent`; nothing when it is malformed. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const parsed = parseTraceParent(text ?? '');
  return parsed === null ? undefined : { ...parsed, isRemote: true };
}

/** Runs `work` within the trace of a W3C `traceparent`, whichever is active, or within a new one where it is unusable. */
export function continueTrace<T>(traceparent: string | undefined, work: () => T): T {
  const parent = parseTraceparent(traceparent) ?? newTrace();
  return context.with(trace.setSpanContext(ROOT_CONTEXT, parent), work);
}

/**
 * Runs `work`, which answers a caller, within the active trace; without the SDK none is active, and `work` runs as with
 * `continueTrace`.
 */
export function withTrace<T>(traceparent: string | undefined, work: () => T): T {
  return activeSpanContext() === undefined ? continueTrace(traceparent, work) : work();
}

/** Makes the place of a trace that is not recorded. A UUID has the digits of both ids; Node makes many at a time. */
function newTrace(): SpanContext {
  const digits = randomUUID().replaceAll('-', '');
  return { traceId: digits, spanId: digits.slice(16), traceFlags: 0 };
}

/** Ends a span with `work`. It records the name of a failure only, because the message may quote confidential data. */
export async function endSpanAfter<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.recordException({ name: error instanceof Error ? error.name : 'NonError' });
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
