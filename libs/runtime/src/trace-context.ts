import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';

/** The flag of a trace that is recorded (W3C Trace Context). */
export const SAMPLED = 1;

const active = new AsyncLocalStorage<SpanContext | undefined>();

/**
 * Does `work` within the trace of a W3C `traceparent`, whichever is active, or in a new one where it is unusable, so that every log line has
 * its id, tracing on or off.
 */
export function continueTrace<T>(traceparent: string | undefined, work: () => T): T {
  return within(parseTraceparent(traceparent) ?? new NewTrace(), work);
}

/** Does `work` with this as what is active. */
export function within<T>(context: SpanContext, work: () => T): T {
  return active.run(context, work);
}

/** `work` within what is active now, whenever it is done. */
export function inThisTrace<A extends unknown[], T>(work: (...args: A) => T): (...args: A) => T {
  const context = activeSpanContext();
  return (...args) => active.run(context, work, ...args);
}

/** Digits of a trace id and of a span id. */
const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;
/** Drawn and written out at once: asked for by the trace, chance would cost more than all the rest of it. */
const chance = { digits: '', used: 0 };

/** @returns where in `chance.digits` as many stand that nobody else has */
function draw(digits: number): number {
  if (chance.used + digits > chance.digits.length) {
    chance.digits = randomBytes(128 * (TRACE_DIGITS + SPAN_DIGITS)).toString('hex');
    chance.used = 0;
  }
  const start = chance.used;
  chance.used += digits;
  return start;
}

export function newSpanId(): string {
  const start = draw(SPAN_DIGITS);
  return chance.digits.slice(start, start + SPAN_DIGITS);
}

/** A trace that begins here. Nobody samples it: where it is recorded, a span stands in its place. */
export class NewTrace implements SpanContext {
  readonly traceFlags = 0;
  readonly #start = draw(TRACE_DIGITS + SPAN_DIGITS);
  readonly #digits = chance.digits;

  get traceId(): string {
    return this.#digits.slice(this.#start, this.#start + TRACE_DIGITS);
  }

  get spanId(): string {
    const start = this.#start + TRACE_DIGITS;
    return this.#digits.slice(start, start + SPAN_DIGITS);
  }
}

/** Where in a trace what runs now is: its span where it is recorded. Nothing outside of a trace. */
export function activeSpanContext(): SpanContext | undefined {
  return active.getStore();
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
  const [, traceId, spanId, flags] = parts as unknown as [string, string, string, string];
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** An id that says that there is none. */
const NOTHING = /^0+$/;
