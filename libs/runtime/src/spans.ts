import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  INVALID_TRACEID,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
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
  if (share !== undefined && !isRecorded(parent, share)) return continueTrace(traceparent, work);
  const from = parent === undefined ? CHOSEN_ROOT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const span = tracer.startSpan('unnamed', SERVER, from);
  if (span.spanContext().traceId === INVALID_TRACEID) return continueTrace(undefined, work);
  return context.with(trace.setSpan(ROOT_CONTEXT, span), work);
}

/** Of the traces that begin here, how many are recorded; undefined where that is not ours to decide. */
let share: number | undefined;
const CHOSEN = createContextKey('kontoport: chosen');
const CHOSEN_ROOT = ROOT_CONTEXT.setValue(CHOSEN, true);

/**
 * Has `inServerSpan` decide which traces are recorded before anything is made of them, ids included: those of callers as the callers say,
 * and such a share of those that begin here. The sampler of the SDK is to record what `isChosen`.
 */
export function decideAtTheDoor(given: number | undefined): void {
  share = given;
}

/** Whether a trace that begins in this context was chosen at the door. */
export const isChosen = (at: Context): boolean => share !== undefined && at.getValue(CHOSEN) === true;

function isRecorded(parent: SpanContext | undefined, of: number): boolean {
  return parent === undefined ? Math.random() < of : (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
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
