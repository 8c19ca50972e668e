import { recordBy, type Span } from '@kontoport/runtime';
import { samplerOf } from '@kontoport/runtime/sampling';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';

/** A span that ended. */
export interface RecordedSpan {
  name: string;
  kind: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, unknown>;
  isError: boolean;
  links: { traceId: string; spanId: string }[];
}

/** Has this process record what it does, as with a collector. @param sampling default: what the caller samples, and what begins here */
export function recordSpans(sampling = { followsCaller: true, share: 1 }) {
  const spans: Span[] = [];
  recordBy({
    records: samplerOf(sampling),
    take: (span) => void spans.push(span),
    resource: emptyResource(),
    instrumentationScope: { name: 'test' },
  });
  return {
    /** Those that have ended since it was asked last, in the order of their ends. */
    take(): RecordedSpan[] {
      return spans.splice(0).map((span) => ({
        name: span.name,
        kind: SpanKind[span.kind],
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanContext?.spanId,
        attributes: { ...span.attributes },
        isError: span.status.code === SpanStatusCode.ERROR,
        links: span.links.map((link) => ({ traceId: link.context.traceId, spanId: link.context.spanId })),
      }));
    },
    close: () => recordBy(undefined),
  };
}
