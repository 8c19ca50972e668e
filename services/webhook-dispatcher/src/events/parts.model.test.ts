import { randomUUID } from 'node:crypto';
import { deferredOf, DELIVERIES_AT_ONCE, DELIVERIES_OF_A_TURN, partsOf } from './parts.model.ts';
import type { EventToRecord } from './webhook-event.model.ts';

const eventFor = (...audience: string[]): EventToRecord => ({
  id: randomUUID(),
  type: 'Posting.CreatedV1',
  time: new Date(),
  audience,
  content: '{}',
  traceparent: undefined,
});
const times = (count: number, ...audience: string[]): EventToRecord[] =>
  Array.from({ length: count }, () => eventFor(...audience));

/** What makes just as many deliveries as a turn may: of a client with 100 subscriptions. */
const FULL = DELIVERIES_OF_A_TURN / 100;
const organizationOf = (client: string): string | undefined => client.split('@')[1];

describe('whose deliveries are too many for a turn (ADR 114)', () => {
  const deferred = (events: EventToRecord[], subscriptions: Record<string, number>): [string, string][] => [
    ...deferredOf(events, { subscriptions: new Map(Object.entries(subscriptions)), organizationOf }),
  ];

  it('nobody’s as long as all together are as many as a turn makes', () => {
    expect(deferred(times(FULL, 'a@A'), { 'a@A': 100 })).toEqual([]);
    expect(
      deferred([...times(FULL / 2, 'a@A'), ...times(FULL / 2, 'b@B')], { 'a@A': 100, 'b@B': 100 }),
    ).toEqual([]);
  });

  it('those of who gets most, and no other’s', () => {
    const events = [...times(FULL, 'a@A'), ...times(2, 'b@B'), eventFor('c@C')];
    expect(deferred(events, { 'a@A': 100, 'b@B': 100, 'c@C': 1 })).toEqual([['a@A', 'A']]);
  });

  it('of an organization, which is counted as one, all clients’, those with little too', () => {
    const events = [
      ...times(FULL * 0.6, 'a@A'),
      ...times(FULL * 0.4, 'b@B'),
      eventFor('small@A'),
      eventFor('c@C'),
    ];
    const subscriptions = { 'a@A': 100, 'b@B': 100, 'small@A': 1, 'c@C': 1 };
    expect(deferred(events, subscriptions)).toEqual([
      ['a@A', 'A'],
      ['small@A', 'A'],
    ]);
  });

  it('of a client without organization its own', () => {
    expect(deferred(times(FULL + 1, 'a', 'b@B'), { a: 100, 'b@B': 1 })).toEqual([['a', 'a']]);
  });

  it('of a client without subscriptions none', () => {
    const events = [...times(FULL, 'a@A'), eventFor('b@B', 'none@A')];
    expect(deferred(events, { 'a@A': 100, 'b@B': 1 })).toEqual([['a@A', 'A']]);
  });
});

describe('the parts of a turn (ADR 113)', () => {
  const subscriptions = new Map([
    ['light', 1],
    ['heavy', 100],
  ]);
  const parts = (events: EventToRecord[], deferred: [string, string][] = [], most = Infinity): string[][] =>
    partsOf(events, { subscriptions, deferred: new Map(deferred), most }).map((part) =>
      part.map(({ audience }) => audience.join()),
    );

  it('who gets little comes first, whatever came before it', () => {
    expect(parts([...times(3, 'heavy'), eventFor('light')])).toEqual([['light', 'heavy', 'heavy', 'heavy']]);
  });

  it('make as many deliveries as a statement makes, and no more', () => {
    const most = DELIVERIES_AT_ONCE / 100;
    expect(parts(times(most, 'heavy')).map(({ length }) => length)).toEqual([most]);
    expect(parts(times(2 * most + 1, 'heavy')).map(({ length }) => length)).toEqual([most, most, 1]);
  });

  it('have no more events than are allowed', () => {
    expect(parts(times(5, 'light'), [], 2).map(({ length }) => length)).toEqual([2, 2, 1]);
  });

  it('deferred ones stand together behind the others, however many they are: they make nothing', () => {
    const events = [...times(DELIVERIES_AT_ONCE, 'heavy'), eventFor('heavy', 'light'), eventFor('light')];
    const [first, last, ...more] = parts(events, [['heavy', 'H']]);
    expect(first).toEqual(['light']);
    expect(last).toHaveLength(DELIVERIES_AT_ONCE + 1);
    expect(more).toEqual([]);
  });
});
