import type { SpanContext } from '@opentelemetry/api';
import { KINDS, Span, type SpanAttributes, type SpanEnd, type SpanOrigin, type SpanStart } from './span.ts';
import {
  activeSpanContext,
  newSpanId,
  NewTrace,
  parseTraceparent,
  SAMPLED,
  within,
} from './trace-context.ts';

/** Who is told of spans, and which traces have some. */
export interface Recorder extends SpanOrigin {
  /** @param begins whether the trace begins here */
  records(context: SpanContext, begins: boolean): boolean;
}

let recorder: Recorder | undefined;

/** Has spans made from now on; undefined: none any more. */
export function recordBy(given: Recorder | undefined): void {
  recorder = given;
}

/**
 * Does `work`, which answers what came from elsewhere, in a span of the trace of a W3C `traceparent`, or of a new one. Whether
 * it is recorded is decided first; `endServerSpan` ends it. Where nobody traces, the same as `continueTrace`.
 */
export function inServerSpan<T>(traceparent: string | undefined, work: () => T): T {
  const parent = parseTraceparent(traceparent);
  const context = parent ?? new NewTrace();
  if (recorder === undefined) return within(context, work);
  return recorder.records(context, parent === undefined)
    ? within(begin(recorder, { kind: KINDS.SERVER, context, parent, name: 'unnamed' }), work)
    : within(unsampled(context), work);
}

/** Ends the active span. @param tell asked where it is recorded alone */
export function endServerSpan(tell: () => SpanEnd): void {
  const span = activeSpanContext();
  if (span instanceof Span && !span.ended) span.end(tell());
}

/** Begins the span of a call to elsewhere; nothing where the active trace is not recorded. */
export function startClientSpan(tell: () => { name: string; attributes: SpanAttributes }): Span | undefined {
  const active = activeSpanContext();
  if (recorder === undefined || active === undefined || (active.traceFlags & SAMPLED) === 0) return undefined;
  if (!recorder.records(active, false)) return undefined;
  return begin(recorder, { kind: KINDS.CLIENT, context: active, parent: active, ...tell() });
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

/**
 * Does `work` in a trace of its own, in the span of one who takes what others have sent; it has failed where `work` rejects.
 * @param tell asked where it is recorded alone; `links`: where what it takes was made
 */
export async function inConsumerSpan<T>(
  tell: () => { name: string; attributes: SpanAttributes; links: readonly SpanContext[] },
  work: () => Promise<T>,
): Promise<T> {
  const context = new NewTrace();
  if (recorder === undefined || !recorder.records(context, true)) return within(context, work);
  const span = begin(recorder, { kind: KINDS.CONSUMER, context, ...tell() });
  let isError = true;
  try {
    const done = await within(span, work);
    isError = false;
    return done;
  } finally {
    span.end({ attributes: {}, isError });
  }
}

/** @param start.context the trace that begins with it, or its parent's */
function begin(
  origin: SpanOrigin,
  { context, ...start }: Omit<SpanStart, 'ids'> & { context: SpanContext },
): Span {
  const spanId = start.parent === undefined ? context.spanId : newSpanId();
  return new Span(origin, { ...start, ids: { traceId: context.traceId, spanId } });
}

/** What is not recorded here is not to be recorded behind it, either, which takes an id of our own (W3C Trace Context §4.3). */
function unsampled(context: SpanContext): SpanContext {
  if ((context.traceFlags & SAMPLED) === 0) return context;
  return { traceId: context.traceId, spanId: newSpanId(), traceFlags: 0 };
}
