import { activeTraceparent, continueTrace, parseTraceparent, withTrace } from './trace-context.ts';

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

  it('is that of the span that is active already', () => {
    expect(continueTrace(GIVEN, () => withTrace(OTHER, activeTraceparent))).toBe(GIVEN);
    expect(withTrace(OTHER, activeTraceparent)).toBe(OTHER);
  });
});
