import { randomBytes } from 'node:crypto';
import {
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

let hasManager = false;

/** Sets up what carries a context from call to call, once. */
export function ensureManager(): void {
  if (hasManager) return;
  hasManager = true;
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/**
 * Does `work` within a trace, tracing on or off, so that every log line has its id: in the active one where there is
 * one, else in that of a W3C `traceparent`, else in a new one that nobody samples.
 */
export function inTrace<T>(traceparent: string | undefined, work: () => T): T {
  return activeSpanContext() === undefined ? continueTrace(traceparent, work) : work();
}

/** Does `work` within the trace of a W3C `traceparent`, whichever is active, or in a new one where it is unusable. */
export function continueTrace<T>(traceparent: string | undefined, work: () => T): T {
  ensureManager();
  return context.with(
    trace.setSpanContext(ROOT_CONTEXT, parseTraceparent(traceparent) ?? new NewTrace()),
    work,
  );
}

/** Octets of a trace id and of a span id. */
const TRACE_OCTETS = 16;
const SPAN_OCTETS = 8;
/** Drawn at once: asked for by the trace, chance would cost more than all the rest of it. */
const chance = { octets: Buffer.alloc(0), used: 0 };

/** A trace that nobody samples. Its ids are written out when they are asked for, which most requests never do. */
class NewTrace implements SpanContext {
  readonly traceFlags = TraceFlags.NONE;
  readonly #octets: Buffer;
  readonly #start: number;
  #ids: { traceId: string; spanId: string } | undefined;

  constructor() {
    if (chance.used === chance.octets.length) {
      chance.octets = randomBytes(256 * (TRACE_OCTETS + SPAN_OCTETS));
      chance.used = 0;
    }
    this.#octets = chance.octets;
    this.#start = chance.used;
    chance.used += TRACE_OCTETS + SPAN_OCTETS;
  }

  get traceId(): string {
    return this.#written.traceId;
  }

  get spanId(): string {
    return this.#written.spanId;
  }

  get #written(): { traceId: string; spanId: string } {
    const middle = this.#start + TRACE_OCTETS;
    return (this.#ids ??= {
      traceId: this.#octets.toString('hex', this.#start, middle),
      spanId: this.#octets.toString('hex', middle, middle + SPAN_OCTETS),
    });
  }
}

/** The ids of the active span; nothing outside of a trace. */
export function activeSpanContext(): SpanContext | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  return span !== undefined && isSpanContextValid(span) ? span : undefined;
}

/** The active span as a W3C `traceparent`, or nothing outside of a trace. */
export function activeTraceparent(): string | undefined {
  const span = activeSpanContext();
  return span && traceparentOf(span);
}

/** A span as a W3C `traceparent`. */
export function traceparentOf(span: SpanContext): string {
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
