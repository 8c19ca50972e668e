import { recordSpans } from '@kontoport/testing/recorded-spans';
import { trace } from '@opentelemetry/api';
import { doorSampler } from './door-sampler.ts';
import { endServerSpan, inServerSpan } from './spans.ts';
import { activeTraceparent } from './trace-context.ts';

const [TRACE, PARENT] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const REQUESTS = 2_000;

let sampler: ReturnType<typeof doorSampler>;
let spans: ReturnType<typeof recordSpans>;
beforeAll(() => {
  // Tracers keep the provider that they met first.
  spans = recordSpans({ shouldSample: (...asked) => sampler!.shouldSample(...asked) });
});
afterAll(() => spans.close());

function begin(name: string | undefined, argument?: string): void {
  sampler = doorSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument });
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
  it.each([
    [undefined, undefined, 1],
    ['', undefined, 1],
    ['parentbased_always_on', undefined, 1],
    ['parentbased_traceidratio', '1', 1],
    ['parentbased_traceidratio', '0.25', 0.25],
    ['parentbased_traceidratio', '0', 0],
  ])('OTEL_TRACES_SAMPLER=%s with %s: this share of what begins here', (name, argument, share) => {
    begin(name, argument);
    const recorded = recordedOf(undefined) / REQUESTS;
    expect(recorded).toBeGreaterThanOrEqual(share === 1 ? 1 : share * 0.75);
    expect(recorded).toBeLessThanOrEqual(share * 1.25);
  });

  it('follows the caller, whatever the share', () => {
    begin('parentbased_traceidratio', '0');
    const [sampled, one] = ask(`00-${TRACE}-${PARENT}-01`);
    expect(sampled).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[0-9a-f]{16}-01$`));
    expect(one).toBe(1);
    begin(undefined);
    // Nothing of ours stands between.
    expect(ask(`00-${TRACE}-${PARENT}-00`)).toEqual([`00-${TRACE}-${PARENT}-00`, 0]);
  });

  it('what is not recorded has a trace all the same, each its own, that is marked as not sampled', () => {
    begin('parentbased_traceidratio', '0');
    const [[first], [second]] = [ask(undefined), ask('nonsense')];
    expect(first).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(second).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(first).not.toBe(second);
  });

  it('what begins elsewhere is recorded by the same share', () => {
    begin('parentbased_traceidratio', '0.25');
    const tracer = trace.getTracer('test');
    for (let i = 0; i < REQUESTS; i++) tracer.startSpan('x').end();
    const recorded = spans.take().length / REQUESTS;
    expect(recorded).toBeGreaterThan(0.18);
    expect(recorded).toBeLessThan(0.32);
  });

  it.each([
    ['always_on', undefined],
    ['traceidratio', '0.5'],
    ['parentbased_traceidratio', undefined],
    ['parentbased_traceidratio', ''],
    ['parentbased_traceidratio', '2'],
    ['parentbased_traceidratio', '-1'],
    ['parentbased_traceidratio', 'much'],
  ])('OTEL_TRACES_SAMPLER=%s with %s is left to the SDK', (name, argument) => {
    begin('parentbased_traceidratio', '0');
    begin(name, argument);
    expect(sampler).toBeUndefined();
  });
});
