import { jest } from '@jest/globals';
import { type Link, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { emptyResource, resourceFromAttributes } from '@opentelemetry/resources';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { KINDS, Span, type SpanStart } from './span.ts';

const [TRACE, OWN, PARENT] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331', 'c7ad6b7169203331'];
const START = { ids: { traceId: TRACE, spanId: OWN }, kind: KINDS.CLIENT, name: 'begun' };
const END = { attributes: {}, isError: false };
const origin = { resource: emptyResource(), instrumentationScope: { name: 'test' }, take: jest.fn() };

const begin = (more: Partial<SpanStart> = {}): Span => new Span(origin, { ...START, ...more });

beforeEach(() => {
  origin.take.mockClear();
  jest.useFakeTimers({ now: 1_800_000_000_250 });
});
afterEach(() => void jest.useRealTimers());

describe('a span that is recorded', () => {
  it('is its own place in the trace, and says that the trace is sampled', () => {
    const parent = { traceId: TRACE, spanId: PARENT, traceFlags: 1 };
    const span = begin({ parent });
    expect(span).toMatchObject({ traceId: TRACE, spanId: OWN, traceFlags: 1, kind: KINDS.CLIENT });
    expect(span.resource).toBe(origin.resource);
    expect(span.instrumentationScope).toBe(origin.instrumentationScope);
    expect(span.spanContext()).toBe(span);
    expect(span.parentSpanContext).toBe(parent);
  });

  it('has a beginning by the clock, and an end as much later as a clock says that nobody sets', () => {
    jest.advanceTimersByTime(1_000);
    const span = begin();
    jest.advanceTimersByTime(1_500);
    jest.setSystemTime(0);
    span.end(END);
    jest.advanceTimersByTime(1_000);
    expect([span.startTime, span.endTime, span.duration]).toEqual([
      [1_800_000_001, 250_000_000],
      [1_800_000_002, 750_000_000],
      [1, 500_000_000],
    ]);
  });

  it('ends once, and is told of then', () => {
    const span = begin({ attributes: { a: 1, b: 'x' } });
    expect(span.ended).toBe(false);
    expect(origin.take).not.toHaveBeenCalled();
    span.end({ name: 'ended', attributes: { b: 'y', c: true }, isError: true });
    span.end({ name: 'again', attributes: { d: 1 }, isError: false });
    expect(origin.take.mock.calls).toEqual([[span]]);
    expect(span).toMatchObject({ ended: true, name: 'ended', status: { code: 2 } });
    expect(span.attributes).toEqual({ a: 1, b: 'y', c: true });
  });

  it('keeps the name with which it began, and has nothing to tell, where its end says no more', () => {
    const span = begin();
    expect(span.attributes).toEqual({});
    span.end(END);
    expect(span).toMatchObject({ name: 'begun', attributes: {}, status: { code: 0 } });
  });

  it.each([
    [0, 0, 0],
    [128, 128, 0],
    [130, 128, 2],
  ])('tells of %i links the last %i, and that %i are left out', (given, told, dropped) => {
    const links = Array.from({ length: given }, (_, at) => ({
      traceId: TRACE,
      spanId: at.toString(16).padStart(16, '0'),
      traceFlags: 1,
    }));
    const span = begin({ links });
    expect(span.links.map(({ context }) => context)).toEqual(links.slice(given - told));
    expect(span.droppedLinksCount).toBe(dropped);
  });
});

describe('what is sent of a span (OTLP)', () => {
  const remote = { traceId: TRACE, spanId: PARENT, traceFlags: 1, isRemote: true };
  const links = (count: number): SpanContext[] => Array.from({ length: count }, () => remote);
  const attributes = { a: 1, b: 'ö', c: 1.5, d: true };
  const resource = resourceFromAttributes({ 'service.name': 'auth' });
  const instrumentationScope = { name: 'scope', version: '1' };

  /** The same span by OpenTelemetry's SDK. */
  function theirs(start: Omit<SpanStart, 'ids'>, isError: boolean) {
    const exporter = new InMemorySpanExporter();
    const { traceId, spanId } = START.ids;
    const provider = new TracerProvider({
      resource,
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
      idGenerator: { generateTraceId: () => traceId, generateSpanId: () => spanId },
    });
    const { name, kind, parent, links: given = [] } = start;
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const linked = given.map((each): Link => ({ context: each }));
    const options = { kind, links: linked, ...(start.attributes && { attributes: start.attributes }) };
    const span = provider.getTracer('scope', '1').startSpan(name, options, context);
    jest.advanceTimersByTime(1_234);
    span.setAttributes(attributes);
    if (isError) span.setStatus({ code: 2 });
    span.end();
    return exporter.getFinishedSpans();
  }

  it.each<[string, Omit<SpanStart, 'ids'>, boolean]>([
    ['a request that begins a trace', { kind: KINDS.SERVER, name: 'GET' }, false],
    ['a request of a trace', { kind: KINDS.SERVER, name: 'GET', parent: remote }, true],
    [
      'a call',
      { kind: KINDS.CLIENT, name: 'x', parent: { ...remote, isRemote: false }, attributes: { e: 2 } },
      true,
    ],
    ['a batch', { kind: KINDS.CONSUMER, name: 'process', links: links(2) }, false],
    ['a batch of many', { kind: KINDS.CONSUMER, name: 'process', links: links(130) }, true],
  ])('is what the SDK of OpenTelemetry would send: %s', (_what, start, isError) => {
    const span = new Span({ resource, instrumentationScope, take: () => {} }, { ids: START.ids, ...start });
    const began = Date.now();
    jest.advanceTimersByTime(1_234);
    span.end({ attributes, isError });
    jest.setSystemTime(began);
    const other = theirs(start, isError);
    for (const { serializeRequest } of [JsonTraceSerializer, ProtobufTraceSerializer])
      expect(Buffer.from(serializeRequest([span])!).toString('latin1')).toBe(
        Buffer.from(serializeRequest(other)!).toString('latin1'),
      );
  });
});
