import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

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

/** Records the spans that our own code makes in this process; instrumentations are loaded in processes of their own alone. */
export function recordSpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  return {
    /** Returns those that have ended since the last call, in the order of their ends. */
    take(): RecordedSpan[] {
      const ended = exporter.getFinishedSpans().map((span) => ({
        name: span.name,
        kind: SpanKind[span.kind],
        traceId: span.spanContext().traceId,
        spanId: span.spanContext().spanId,
        parentSpanId: span.parentSpanContext?.spanId,
        attributes: { ...span.attributes },
        isError: span.status.code === SpanStatusCode.ERROR,
        links: span.links.map(({ context }) => ({ traceId: context.traceId, spanId: context.spanId })),
      }));
      exporter.reset();
      return ended;
    },
    close: () => trace.disable(),
  };
}
