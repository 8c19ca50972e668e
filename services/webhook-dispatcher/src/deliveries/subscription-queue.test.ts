import type { DueDelivery, NewDeliveries } from './delivery.model.ts';
import { IN_FLIGHT } from './in-flight-limit.model.ts';
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

describe('new deliveries that are offered to a queue as they are stored', () => {
  it('are in hand at once, and sent in their order', () => {
    const queue = empty();
    expect(queue.offer(stored(3), 11)).toBe(3);
    expect([...queue.busy]).toEqual(['event 0', 'event 1', 'event 2']);
    expect([1, 2, 3, 4].map(() => queue.next(12)?.eventId)).toEqual([
      'event 0',
      'event 1',
      'event 2',
      undefined,
    ]);
  });

  it('are taken as far as there is room: eight times what may be in flight', () => {
    const queue = empty();
    const room = 8 * IN_FLIGHT.start;
    expect(queue.offer(stored(100), 11)).toBe(100);
    expect(queue.offer(stored(100, { deliveries: deliveries(100, 100) }), 12)).toBe(room - 100);
    expect(queue.offer(stored(1, { deliveries: deliveries(1, 200) }), 13)).toBe(0);
    expect(queue.busy.size).toBe(room);
  });

  it('are left to a fetch while others wait in the database', () => {
    const queue = empty();
    queue.hasMore = true;
    expect(queue.offer(stored(1), 11)).toBe(0);
    expect(claimed().offer(stored(1), 11)).toBe(0);
  });

  it('are not taken while a fetch is under way, nor when it ended after they began to be stored: it may have brought them', () => {
    const queue = empty();
    queue.beginFetch();
    expect(queue.offer(stored(1), 1_000)).toBe(0);
    queue.add([], { wanted: 128, askedAt: 20, now: 30 });
    expect(queue.offer(stored(1), 30)).toBe(0);
    expect(queue.offer(stored(1), 30.001)).toBe(1);
  });

  it('are fetched again after a fetch that failed', () => {
    const queue = empty();
    queue.beginFetch();
    queue.fetchFailed(30);
    expect(queue.hasMore).toBe(true);
    expect(queue.offer(stored(1), 31)).toBe(0);
    queue.beginFetch();
    queue.add([], { wanted: 128, askedAt: 32, now: 33 });
    expect(queue.offer(stored(1), 34)).toBe(1);
  });

  it.each([
    ['another holds it', 'another'],
    ['nobody holds it', null],
  ])('are not ours when %s', (_what, claimId) => {
    const queue = empty();
    expect(queue.offer(stored(1, { claimId }), 11)).toBe(0);
    expect(queue.busy.size).toBe(0);
  });

  it.each(['revoke', 'yieldSlot'] as const)('are not taken by a queue that ends (%s)', (end) => {
    const queue = empty();
    queue[end]();
    expect(queue.offer(stored(1), 11)).toBe(0);
  });

  it('lead where the subscription led when they were stored', () => {
    const queue = empty();
    queue.offer(stored(1), 11);
    expect(queue.callbackUrl).toBe(URL);
    queue.offer(stored(1, { callbackUrl: 'https://moved.example/', deliveries: deliveries(1, 1) }), 12);
    expect(queue.callbackUrl).toBe('https://moved.example/');
  });

  it('are fetched anew when they were not sent within a second of the statement', () => {
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

describe('a fetch', () => {
  it('that brings as much as was asked for says that there is more', () => {
    const queue = claimed();
    queue.beginFetch();
    expect(queue.hasMore).toBe(false);
    queue.add(deliveries(2), { wanted: 3, askedAt: 0, now: 1 });
    expect(queue.hasMore).toBe(false);
    queue.beginFetch();
    queue.add(deliveries(2, 2), { wanted: 2, askedAt: 2, now: 3 });
    expect(queue.hasMore).toBe(true);
  });

  it('that ends after the queue was lost brings nothing', () => {
    const queue = claimed();
    queue.beginFetch();
    queue.revoke();
    queue.add(deliveries(2), { wanted: 128, askedAt: 0, now: 1 });
    expect(queue.busy.size).toBe(0);
  });
});
