import { recordSpans } from '@kontoport/testing/recorded-spans';
import { endServerSpan, inConsumerSpan, inServerSpan, startClientSpan } from './spans.ts';
import { activeTraceparent, continueTrace } from './trace-context.ts';

const [TRACE, PARENT] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const REQUESTS = 2_000;

let spans: ReturnType<typeof recordSpans>;
afterAll(() => spans.close());

function begin(share: number, followsCaller = true): void {
  spans = recordSpans({ followsCaller, share });
}

/** What is active in a request, and how many spans it leaves. */
function ask(traceparent: string | undefined): [string | undefined, number] {
  const seen = inServerSpan(traceparent, () => {
    endServerSpan(() => ({ name: 'x', attributes: {}, isError: false }));
    return activeTraceparent();
  });
  return [seen, spans.take().length];
}

const recordedOf = (traceparent: string | undefined): number =>
  Array.from({ length: REQUESTS }, () => ask(traceparent)[1]).reduce((sum, count) => sum + count, 0);

describe('what is recorded is decided at the door', () => {
  it.each([1, 0.25, 0])('%s of what begins here', (share) => {
    begin(share);
    const recorded = recordedOf(undefined) / REQUESTS;
    expect(recorded).toBeGreaterThanOrEqual(share === 1 ? 1 : share * 0.75);
    expect(recorded).toBeLessThanOrEqual(share * 1.25);
  });

  it('follows the caller, whatever the share', () => {
    begin(0);
    const [sampled, one] = ask(`00-${TRACE}-${PARENT}-01`);
    expect(sampled).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-01$`));
    expect(one).toBe(1);
    expect(ask(`00-${TRACE}-${PARENT}-03`)).toEqual([expect.stringMatching(/-01$/), 1]);
    expect(ask(`00-${TRACE}-${PARENT}-02`)[1]).toBe(0);
    begin(1);
    // Nothing of ours stands between.
    expect(ask(`00-${TRACE}-${PARENT}-00`)).toEqual([`00-${TRACE}-${PARENT}-00`, 0]);
  });

  it('what is not recorded has a trace all the same, each its own, that is marked as not sampled', () => {
    begin(0);
    const [[first], [second]] = [ask(undefined), ask('nonsense')];
    expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(second).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(first).not.toBe(second);
  });

  it('what takes from others is recorded by the same share', async () => {
    begin(0.25);
    const nothing = { name: 'x', attributes: {}, links: [] };
    for (let i = 0; i < REQUESTS; i++)
      await inConsumerSpan(
        () => nothing,
        async () => {},
      );
    const recorded = spans.take().length / REQUESTS;
    expect(recorded).toBeGreaterThan(0.18);
    expect(recorded).toBeLessThan(0.32);
  });

  it.each([1, 0.25, 0])('%s of everything, whatever the caller says, where he is not followed', (share) => {
    begin(share, false);
    const recorded = recordedOf(undefined) / REQUESTS;
    expect(recorded).toBeGreaterThanOrEqual(share === 1 ? 1 : share * 0.75);
    expect(recorded).toBeLessThanOrEqual(share * 1.25);
    // By the id of the trace, which begins with little here.
    const [traceparent, count] = ask('00-00000001000000000000000000000000-b7ad6b7169203331-00');
    expect([traceparent?.slice(-2), count]).toEqual(share === 0 ? ['00', 0] : ['01', 1]);
  });

  it.each([
    [0, '01', 0],
    [1, '00', 0],
    [1, '01', 1],
  ])(
    'a call is recorded where the trace is, of which %s by their ids, and the caller says %s',
    (share, flags, count) => {
      begin(share, false);
      const call = (): void =>
        startClientSpan(() => ({ name: 'x', attributes: {} }))?.end({ attributes: {}, isError: false });
      continueTrace(`00-${TRACE}-${PARENT}-${flags}`, call);
      expect(spans.take()).toHaveLength(count);
    },
  );

  it.each(['01', '03', 'ff'])(
    'a call behind a request that is not recorded is not, either, though the caller says %s',
    (flags) => {
      begin(0, false);
      const seen = inServerSpan(`00-${TRACE}-${PARENT}-${flags}`, () => {
        startClientSpan(() => ({ name: 'x', attributes: {} }))?.end({ attributes: {}, isError: false });
        return activeTraceparent();
      });
      expect(seen).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-00$`));
      expect(spans.take()).toEqual([]);
    },
  );
});
