import {
  activeTraceparent,
  continueTrace,
  inThisTrace,
  newSpanId,
  parseTraceparent,
} from './trace-context.ts';

const GIVEN = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const OTHER = '00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-00';
const traceId = (): string | undefined => parseTraceparent(activeTraceparent())?.traceId;

describe('a trace without tracing', () => {
  it('is the given one, also after a pause', async () => {
    const seen = await continueTrace(GIVEN, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return activeTraceparent();
    });
    expect(seen).toBe(GIVEN);
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `${GIVEN}, ${GIVEN}`,
    GIVEN.toUpperCase(),
    '00-00000000000000000000000000000000-b7ad6b7169203331-01',
    '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
  ])('is a new one, sampled by nobody, for %j', (traceparent) => {
    const [first, second] = [0, 1].map(() => continueTrace(traceparent, activeTraceparent));
    expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(first).not.toBe(second);
  });

  it('ends with what was begun in it', () => {
    continueTrace(GIVEN, () => {});
    expect(activeTraceparent()).toBeUndefined();
  });

  it('is left for another one that goes on', () => {
    expect(continueTrace(GIVEN, () => continueTrace(OTHER, activeTraceparent))).toBe(OTHER);
    expect(continueTrace(GIVEN, () => continueTrace(undefined, traceId))).not.toBe(
      continueTrace(GIVEN, traceId),
    );
  });

  it('is found again by who is called later, in another one or in none', () => {
    const told = continueTrace(GIVEN, () => inThisTrace((more: string) => [activeTraceparent(), more]));
    expect(told('a')).toEqual([GIVEN, 'a']);
    expect(continueTrace(OTHER, () => told('b'))).toEqual([GIVEN, 'b']);
    const outside = inThisTrace(activeTraceparent);
    expect(continueTrace(OTHER, outside)).toBeUndefined();
  });

  it('keeps its ids, however many others begin', () => {
    const [first, last] = continueTrace(undefined, () => {
      const before = activeTraceparent();
      for (let i = 0; i < 1_000; i++) continueTrace(undefined, activeTraceparent);
      return [before, activeTraceparent()];
    });
    expect(last).toBe(first);
  });

  it('has ids that nobody has besides, whoever draws between', () => {
    const drawn: string[] = [];
    const traces: string[] = [];
    // More than are drawn at once.
    for (let i = 0; i < 2_000; i++) {
      const [, trace, span] = continueTrace(undefined, activeTraceparent)!.split('-') as [
        string,
        string,
        string,
      ];
      traces.push(trace);
      drawn.push(span, ...(i % 3 === 0 ? [newSpanId()] : []), trace.slice(0, 16), trace.slice(16));
    }
    expect(traces.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([]);
    expect(drawn.filter((id) => !/^[0-9a-f]{16}$/.test(id))).toEqual([]);
    expect(new Set(drawn).size).toBe(drawn.length);
  });
});
