import type { HrTime, Link, SpanContext, SpanKind, SpanStatus } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { SAMPLED } from './trace-context.ts';

/** By their names in the semantic conventions. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** What is known of a span when it ends. */
export interface SpanEnd {
  /** Absent: the one with which it began. */
  name?: string;
  attributes: SpanAttributes;
  /** Whether it failed: on a server's side, whether the server is to blame. */
  isError: boolean;
}

/** Who made spans, and who is told of each that has ended. */
export interface SpanOrigin extends Pick<ReadableSpan, 'resource' | 'instrumentationScope'> {
  take(span: Span): void;
}

/** How a span begins. */
export interface SpanStart {
  /** Its trace, and its own id. */
  ids: Pick<SpanContext, 'traceId' | 'spanId'>;
  /** Absent: the trace begins with it. */
  parent?: SpanContext | undefined;
  kind: SpanKind;
  name: string;
  attributes?: SpanAttributes;
  links?: readonly SpanContext[];
}

/** OpenTelemetry's values, without loading what says them. */
export const KINDS = { SERVER: 1, CLIENT: 2, CONSUMER: 4 } as const;
const [UNSET, ERROR] = [0, 2];
/** As the specification of OpenTelemetry bounds them by default. */
const MOST_LINKS = 128;
const NONE: readonly SpanContext[] = [];

/**
 * A span that is recorded, as OpenTelemetry's serializers read it, and its place in the trace besides. It is one object with few others:
 * it lives until its batch is sent, and what lives that long is copied by V8 (ADR 122).
 */
export class Span implements ReadableSpan, SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags = SAMPLED;
  readonly kind: SpanKind;
  readonly #origin: SpanOrigin;
  readonly #parent: SpanContext | undefined;
  readonly #linked: readonly SpanContext[];
  readonly droppedLinksCount: number;
  readonly #began = Date.now();
  readonly #from = performance.now();
  #milliseconds: number | undefined;
  #name: string;
  #attributes: SpanAttributes | undefined;
  #isError = false;

  constructor(origin: SpanOrigin, start: SpanStart) {
    this.#origin = origin;
    this.traceId = start.ids.traceId;
    this.spanId = start.ids.spanId;
    this.kind = start.kind;
    this.#parent = start.parent;
    this.#name = start.name;
    this.#attributes = start.attributes;
    const { links = NONE } = start;
    this.#linked = links.length > MOST_LINKS ? links.slice(-MOST_LINKS) : links;
    this.droppedLinksCount = links.length - this.#linked.length;
  }

  /** Once. No message of an error is told: it may quote what nobody is to read. */
  end({ name, attributes, isError }: SpanEnd): void {
    if (this.ended) return;
    this.#milliseconds = performance.now() - this.#from;
    if (name !== undefined) this.#name = name;
    this.#attributes = this.#attributes === undefined ? attributes : { ...this.#attributes, ...attributes };
    this.#isError = isError;
    this.#origin.take(this);
  }

  get ended(): boolean {
    return this.#milliseconds !== undefined;
  }

  spanContext(): SpanContext {
    return this;
  }

  get parentSpanContext(): SpanContext | undefined {
    return this.#parent;
  }

  get name(): string {
    return this.#name;
  }

  get attributes(): SpanAttributes {
    return this.#attributes ?? {};
  }

  get status(): SpanStatus {
    return { code: this.#isError ? ERROR : UNSET };
  }

  get startTime(): HrTime {
    return timeOf(this.#began);
  }

  get endTime(): HrTime {
    return timeOf(this.#began + (this.#milliseconds ?? 0));
  }

  get duration(): HrTime {
    return timeOf(this.#milliseconds ?? 0);
  }

  get links(): Link[] {
    return this.#linked.map((context) => ({ context }));
  }

  get resource(): ReadableSpan['resource'] {
    return this.#origin.resource;
  }

  get instrumentationScope(): ReadableSpan['instrumentationScope'] {
    return this.#origin.instrumentationScope;
  }

  /** What we do not make. */
  get events(): [] {
    return [];
  }

  get droppedEventsCount(): number {
    return 0;
  }

  get droppedAttributesCount(): number {
    return 0;
  }
}

/** Seconds, and nanoseconds of the next one. */
function timeOf(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000);
  return [seconds, Math.floor((milliseconds - seconds * 1_000) * 1_000_000)];
}
