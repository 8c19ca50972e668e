import { recordSpans } from '@kontoport/testing/recorded-spans';
import { endServerSpan, inConsumerSpan, inServerSpan, startClientSpan } from './spans.ts';
import { activeTraceparent, continueTrace, parseTraceparent } from './trace-context.ts';

const [TRACE, PARENT] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const GIVEN = `00-${TRACE}-${PARENT}-01`;
const links = [parseTraceparent(GIVEN)!];
const tell = () => ({ name: 'process', attributes: { count: 1 }, links });
const end = () => ({ name: 'answered', attributes: {}, isError: false });

let spans: ReturnType<typeof recordSpans>;
beforeEach(() => {
  spans = recordSpans();
});
afterEach(() => spans.close());

describe('the span of a request', () => {
  it('is the one of its trace that everything in it belongs to', async () => {
    const seen = await inServerSpan(GIVEN, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      startClientSpan(() => ({ name: 'call', attributes: {} }))!.end({ attributes: {}, isError: false });
      endServerSpan(end);
      return parseTraceparent(activeTraceparent())!;
    });
    const [call, request] = spans.take();
    expect(request).toMatchObject({ name: 'answered', kind: 'SERVER', traceId: TRACE, parentSpanId: PARENT });
    expect(call).toMatchObject({
      name: 'call',
      kind: 'CLIENT',
      traceId: TRACE,
      parentSpanId: request!.spanId,
    });
    expect(seen).toMatchObject({ traceId: TRACE, spanId: request!.spanId, traceFlags: 1 });
    expect(new Set([PARENT, call!.spanId, request!.spanId]).size).toBe(3);
  });

  it('begins a trace where the caller has none', () => {
    inServerSpan(undefined, () => endServerSpan(end));
    expect(spans.take()).toMatchObject([{ name: 'answered', parentSpanId: undefined }]);
  });

  it('is told of once, and asked for nothing where it is not recorded', () => {
    let asked = 0;
    const counted = (): ReturnType<typeof end> => {
      asked++;
      return end();
    };
    inServerSpan(undefined, () => {
      endServerSpan(counted);
      endServerSpan(counted);
    });
    expect([asked, spans.take().length]).toEqual([1, 1]);
    inServerSpan(`00-${TRACE}-${PARENT}-00`, () => endServerSpan(counted));
    endServerSpan(counted);
    expect([asked, spans.take().length]).toEqual([1, 0]);
  });

  it('is none where nobody records any more', () => {
    spans.close();
    const seen = inServerSpan(GIVEN, () => {
      expect(startClientSpan(() => ({ name: 'call', attributes: {} }))).toBeUndefined();
      return activeTraceparent();
    });
    expect(seen).toBe(GIVEN);
    expect(spans.take()).toEqual([]);
  });
});

describe('the span of who takes what others have sent', () => {
  it('has a trace of its own, and links to theirs', async () => {
    const seen = await continueTrace(GIVEN, () => inConsumerSpan(tell, async () => activeTraceparent()));
    const [span] = spans.take();
    expect(span).toEqual({
      name: 'process',
      kind: 'CONSUMER',
      traceId: expect.not.stringMatching(TRACE),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: undefined,
      attributes: { count: 1 },
      isError: false,
      links: [{ traceId: TRACE, spanId: PARENT }],
    });
    expect(seen).toBe(`00-${span!.traceId}-${span!.spanId}-01`);
  });

  it('has failed where the work has, and says so to whoever asked for it', async () => {
    const failing = inConsumerSpan(tell, () => Promise.reject(new Error('away')));
    await expect(failing).rejects.toThrow('away');
    expect(spans.take()).toMatchObject([{ isError: true }]);
  });

  it('is asked for nothing where it is not recorded, and there is a trace all the same', async () => {
    spans = recordSpans({ followsCaller: true, share: 0 });
    const untold = (): never => {
      throw new Error('asked');
    };
    const seen = await inConsumerSpan(untold, async () => activeTraceparent());
    expect(seen).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(spans.take()).toEqual([]);
  });
});
