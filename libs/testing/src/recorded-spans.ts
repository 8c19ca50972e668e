import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  InMemorySpanExporter,
  type Sampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

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

/** Has this process record what it does, as with a collector. @param sampler default: what the caller samples, and what begins here */
export function recordSpans(sampler?: Sampler) {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors, ...(sampler && { sampler }) }));
  return {
    /** Those that have ended since it was asked last, in the order of their ends. */
    take(): RecordedSpan[] {
      const ended = exporter.getFinishedSpans().map((span) => ({
        name: span.name,
        kind: SpanKind[span.kind],
        traceId: span.spanContext().traceId,
        spanId: span.spanContext().spanId,
        parentSpanId: span.parentSpanContext?.spanId,
        attributes: { ...span.attributes },
        isError: span.status.code === SpanStatusCode.ERROR,
        links: span.links.map((link) => ({ traceId: link.context.traceId, spanId: link.context.spanId })),
      }));
      exporter.reset();
      return ended;
    },
    close() {
      trace.disable();
      context.disable();
    },
  };
}
