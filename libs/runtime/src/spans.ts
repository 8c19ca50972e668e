import {
  type Attributes,
  context,
  INVALID_TRACEID,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { continueTrace, parseTraceparent } from './trace-context.ts';

const tracer = trace.getTracer('@kontoport/runtime');

export type { Span } from '@opentelemetry/api';

/** What is known of a span when it ends. */
export interface SpanEnd {
  /** Absent: the one with which it began. */
  name?: string;
  attributes: Attributes;
  /** Whether it failed: on a server's side, whether the server is to blame. */
  isError: boolean;
}

/**
 * Does `work`, which answers what came from elsewhere, in a span of the trace of a W3C `traceparent`, or of a new one. Whether
 * it is recorded is decided first; `endServerSpan` ends it. Where nobody traces, the same as `continueTrace`.
 */
export function inServerSpan<T>(traceparent: string | undefined, work: () => T): T {
  const parent = parseTraceparent(traceparent);
  const from = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const span = tracer.startSpan('unnamed', SERVER, from);
  if (span.spanContext().traceId === INVALID_TRACEID) return continueTrace(undefined, work);
  return context.with(trace.setSpan(from, span), work);
}

const SERVER = { kind: SpanKind.SERVER };

/** Ends the active span. @param tell asked where it is recorded alone */
export function endServerSpan(tell: () => SpanEnd): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording()) endSpan(span, tell());
}

/** Begins the span of a call to elsewhere; nothing where the active trace is not recorded. */
export function startClientSpan(tell: () => { name: string; attributes: Attributes }): Span | undefined {
  const active = trace.getActiveSpan();
  if (active === undefined || (active.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  const { name, attributes } = tell();
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes });
  return span.isRecording() ? span : undefined;
}

/** The same of an HTTP request. Of where it goes to no more is told than with whom it speaks. */
export function startHttpSpan(request: { method: string; url: URL }): Span | undefined {
  return startClientSpan(() => {
    const { method, url } = request;
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    return {
      name: method,
      attributes: {
        'http.request.method': method,
        'url.full': url.origin,
        'server.address': url.hostname,
        'server.port': port,
      },
    };
  });
}

/** Ends a span. No message of an error is told: it may quote what nobody is to read. */
export function endSpan(span: Span, { name, attributes, isError }: SpanEnd): void {
  if (name !== undefined) span.updateName(name);
  span.setAttributes(attributes);
  if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
