import type { DueDelivery, NewDeliveries } from './delivery.model.ts';
import { IN_FLIGHT } from './in-flight-limit.model.ts';
import { Lane } from './lane.ts';
import { signingKey } from './sign-body.model.ts';

const SUBSCRIPTION = { subscriptionId: 's', clientId: 'c' };
const URL = 'https://tpp.example/hook';

/** A lane that has just been claimed at 0, under a lease of 6 s. */
const claimed = (): Lane =>
  new Lane({
    lane: {
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
function empty(): Lane {
  const lane = claimed();
  lane.ask();
  lane.add([], { wanted: 128, askedAt: 5, now: 10 });
  return lane;
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

describe('new deliveries that are offered to a lane as they are stored', () => {
  it('are in hand at once, and sent in their order', () => {
    const lane = empty();
    expect(lane.offer(stored(3), 11)).toBe(3);
    expect([...lane.busy]).toEqual(['event 0', 'event 1', 'event 2']);
    expect([1, 2, 3, 4].map(() => lane.take(12)?.eventId)).toEqual([
      'event 0',
      'event 1',
      'event 2',
      undefined,
    ]);
  });

  it('are taken as far as there is room: eight times what may be in flight', () => {
    const lane = empty();
    const room = 8 * IN_FLIGHT.start;
    expect(lane.offer(stored(100), 11)).toBe(100);
    expect(lane.offer(stored(100, { deliveries: deliveries(100, 100) }), 12)).toBe(room - 100);
    expect(lane.offer(stored(1, { deliveries: deliveries(1, 200) }), 13)).toBe(0);
    expect(lane.busy.size).toBe(room);
  });

  it('are left to a fetch while others wait in the database', () => {
    const lane = empty();
    lane.more = true;
    expect(lane.offer(stored(1), 11)).toBe(0);
    expect(claimed().offer(stored(1), 11)).toBe(0);
  });

  it('are not taken while a fetch is under way, nor when it ended after they began to be stored: it may have brought them', () => {
    const lane = empty();
    lane.ask();
    expect(lane.offer(stored(1), 1_000)).toBe(0);
    lane.add([], { wanted: 128, askedAt: 20, now: 30 });
    expect(lane.offer(stored(1), 30)).toBe(0);
    expect(lane.offer(stored(1), 30.001)).toBe(1);
  });

  it('are fetched again after a fetch that failed', () => {
    const lane = empty();
    lane.ask();
    lane.askInVain(30);
    expect(lane.more).toBe(true);
    expect(lane.offer(stored(1), 31)).toBe(0);
    lane.ask();
    lane.add([], { wanted: 128, askedAt: 32, now: 33 });
    expect(lane.offer(stored(1), 34)).toBe(1);
  });

  it.each([
    ['another holds it', 'another'],
    ['nobody holds it', null],
  ])('are not ours when %s', (_what, claimId) => {
    const lane = empty();
    expect(lane.offer(stored(1, { claimId }), 11)).toBe(0);
    expect(lane.busy.size).toBe(0);
  });

  it.each(['lose', 'cede'] as const)('are not taken by a lane that ends (%s)', (end) => {
    const lane = empty();
    lane[end]();
    expect(lane.offer(stored(1), 11)).toBe(0);
  });

  it('lead where the subscription led when they were stored', () => {
    const lane = empty();
    lane.offer(stored(1), 11);
    expect(lane.callbackUrl).toBe(URL);
    lane.offer(stored(1, { callbackUrl: 'https://moved.example/', deliveries: deliveries(1, 1) }), 12);
    expect(lane.callbackUrl).toBe('https://moved.example/');
  });

  it('are fetched anew when they were not sent within a second of the statement', () => {
    const sent = empty();
    sent.offer(stored(1), 11);
    expect(sent.take(1_010)).toBeDefined();
    const late = empty();
    late.offer(stored(1), 11);
    expect(late.take(1_011)).toBeUndefined();
    expect(late.more).toBe(true);
    expect(late.busy.size).toBe(0);
  });
});

describe('a fetch', () => {
  it('that brings as much as was asked for says that there is more', () => {
    const lane = claimed();
    lane.ask();
    expect(lane.more).toBe(false);
    lane.add(deliveries(2), { wanted: 3, askedAt: 0, now: 1 });
    expect(lane.more).toBe(false);
    lane.ask();
    lane.add(deliveries(2, 2), { wanted: 2, askedAt: 2, now: 3 });
    expect(lane.more).toBe(true);
  });

  it('that ends after the lane was lost brings nothing', () => {
    const lane = claimed();
    lane.ask();
    lane.lose();
    lane.add(deliveries(2), { wanted: 128, askedAt: 0, now: 1 });
    expect(lane.busy.size).toBe(0);
  });
});
