import type { DueDelivery, NewDeliveries } from './delivery.model.ts';
import { signingKey } from './sign-body.model.ts';
import { SubscriptionQueue } from './subscription-queue.ts';

const SUBSCRIPTION = { subscriptionId: 's', clientId: 'c' };
const URL = 'https://tpp.example/hook';

/** A queue that has just been claimed at 0, under a lease of 6 s. */
const claimed = (): SubscriptionQueue =>
  new SubscriptionQueue({
    queue: {
      ...SUBSCRIPTION,
      id: 'mine',
      callbackUrl: URL,
      sealedKey: new Uint8Array(),
      outages: 0,
      failures: 0,
    },
    party: { clientId: 'c', organization: undefined },
    claimId: 'claim',
    key: signingKey(Buffer.from('k'.repeat(32))),
    leaseUntil: 6_000,
    now: 0,
  });

/** One whose first fetch ended at 10 and brought nothing. */
function empty(): SubscriptionQueue {
  const queue = claimed();
  queue.beginFetch();
  queue.add([], { wanted: 128, askedAt: 5, now: 10 });
  return queue;
}

const deliveries = (count: number, first = 0): DueDelivery[] =>
  Array.from({ length: count }, (_, at) => ({
    subscriptionId: 's',
    eventId: `event ${first + at}`,
    place: `(0,${first + at})`,
    attempts: 0,
    step: 0,
    content: '{}',
    traceparent: null,
    callbackUrl: null,
  }));

const stored = (count: number, changes: Partial<NewDeliveries> = {}): NewDeliveries => ({
  ...SUBSCRIPTION,
  claimId: 'claim',
  callbackUrl: URL,
  deliveries: deliveries(count),
  ...changes,
});

describe('new deliveries offered to a held queue', () => {
  it('are refused during a fetch, and after one that may have brought them', () => {
    const queue = empty();
    queue.beginFetch();
    expect(queue.offer(stored(1), 1_000)).toBe(0);
    queue.add([], { wanted: 128, askedAt: 20, now: 30 });
    expect(queue.offer(stored(1), 30)).toBe(0);
    expect(queue.offer(stored(1), 30.001)).toBe(1);
  });

  it.each([
    ['another holds it', 'another'],
    ['nobody holds it', null],
  ])('are refused when %s', (_what, claimId) => {
    const queue = empty();
    expect(queue.offer(stored(1, { claimId }), 11)).toBe(0);
    expect(queue.busy.size).toBe(0);
  });

  it('are fetched again if not sent within a second of the statement', () => {
    const sent = empty();
    sent.offer(stored(1), 11);
    expect(sent.next(1_010)).toBeDefined();
    const late = empty();
    late.offer(stored(1), 11);
    expect(late.next(1_011)).toBeUndefined();
    expect(late.hasMore).toBe(true);
    expect(late.busy.size).toBe(0);
  });
});

describe('a fetch', () => {});
