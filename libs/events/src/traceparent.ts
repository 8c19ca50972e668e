import { isSpanContextValid, type SpanContext, trace } from '@opentelemetry/api';

/** The active span as a W3C `traceparent`, or nothing outside of a trace. */
export function activeTraceparent(): string | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** Reads a W3C `traceparent`; nothing when it is malformed. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const parts = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '');
  if (parts === null) return undefined;
  const span = {
    traceId: parts[1]!,
    spanId: parts[2]!,
    traceFlags: Number.parseInt(parts[3]!, 16),
    isRemote: true,
  };
  return isSpanContextValid(span) ? span : undefined;
}
