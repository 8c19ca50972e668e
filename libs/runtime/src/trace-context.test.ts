import { activeTraceparent, continueTrace, inThisTrace, inTrace, parseTraceparent } from './trace-context.ts';

const GIVEN = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const OTHER = '00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-00';
const traceId = (): string | undefined => parseTraceparent(activeTraceparent())?.traceId;

describe('a trace without tracing', () => {
  it('is the given one, also after a pause', async () => {
    const seen = await inTrace(GIVEN, async () => {
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
    const [first, second] = [0, 1].map(() => inTrace(traceparent, activeTraceparent));
    expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(first).not.toBe(second);
  });

  it('lasts to the end of what was begun in it', () => {
    expect(inTrace(GIVEN, () => inTrace(OTHER, activeTraceparent))).toBe(GIVEN);
    expect(activeTraceparent()).toBeUndefined();
  });

  it('is left for another one that goes on', () => {
    expect(inTrace(GIVEN, () => continueTrace(OTHER, activeTraceparent))).toBe(OTHER);
    expect(inTrace(GIVEN, () => continueTrace(undefined, traceId))).not.toBe(inTrace(GIVEN, traceId));
  });

  it('is found again by who is called later, in another one or in none', () => {
    const told = inTrace(GIVEN, () => inThisTrace((more: string) => [activeTraceparent(), more]));
    expect(told('a')).toEqual([GIVEN, 'a']);
    expect(inTrace(OTHER, () => told('b'))).toEqual([GIVEN, 'b']);
    const outside = inThisTrace(activeTraceparent);
    expect(inTrace(OTHER, outside)).toBeUndefined();
  });

  it('keeps its ids, however many others begin', () => {
    const [first, last] = inTrace(undefined, () => {
      const before = activeTraceparent();
      for (let i = 0; i < 1_000; i++) continueTrace(undefined, activeTraceparent);
      return [before, activeTraceparent()];
    });
    expect(last).toBe(first);
  });

  it('has ids that nobody else has', () => {
    // More than are drawn at once.
    const made = Array.from({ length: 1_000 }, () => inTrace(undefined, activeTraceparent)!.split('-'));
    for (const part of [1, 2]) expect(new Set(made.map((parts) => parts[part])).size).toBe(1_000);
  });
});
