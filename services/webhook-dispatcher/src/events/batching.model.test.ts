import { randomUUID } from 'node:crypto';
import type { EventToRecord } from '../event-types/webhook-event.model.ts';
import { clientsToDefer, DELIVERIES_PER_POLL, mayExceedPoll, splitIntoBatches } from './batching.model.ts';

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

/** The events that make exactly as many deliveries as a poll may, for a client with 100 subscriptions. */
const FULL = DELIVERIES_PER_POLL / 100;
const organizationOf = (client: string): string | undefined => client.split('@')[1];

describe('the clients whose deliveries are deferred (ADR-0034)', () => {
  const deferred = (
    events: EventToRecord[],
    subscriptions: Record<string, number>,
  ): [string, string, number][] =>
    [
      ...clientsToDefer(events, { subscriptions: new Map(Object.entries(subscriptions)), organizationOf }),
    ].map(([client, { organization, deliveries }]) => [client, organization, deliveries]);

  it('is computed only if the clients of a poll could exceed the limit', () => {
    expect([FULL, FULL + 1].map(mayExceedPoll)).toEqual([false, true]);
  });

  it('are none while all deliveries fit into a poll', () => {
    expect(deferred(times(FULL, 'a@A'), { 'a@A': 100 })).toEqual([]);
    expect(
      deferred([...times(FULL / 2, 'a@A'), ...times(FULL / 2, 'b@B')], { 'a@A': 100, 'b@B': 100 }),
    ).toEqual([]);
  });

  it('are those with the most deliveries only', () => {
    const events = [...times(FULL, 'a@A'), ...times(2, 'b@B'), eventFor('c@C')];
    expect(deferred(events, { 'a@A': 100, 'b@B': 100, 'c@C': 1 })).toEqual([['a@A', 'A', 100]]);
  });

  it('include all clients of an organization, which counts as one', () => {
    const events = [
      ...times(FULL * 0.6, 'a@A'),
      ...times(FULL * 0.4, 'b@B'),
      eventFor('small@A'),
      eventFor('c@C'),
    ];
    const subscriptions = { 'a@A': 100, 'b@B': 100, 'small@A': 1, 'c@C': 1 };
    expect(deferred(events, subscriptions)).toEqual([
      ['a@A', 'A', 100],
      ['small@A', 'A', 1],
    ]);
  });

  it('count a client without organization alone', () => {
    expect(deferred(times(FULL + 1, 'a', 'b@B'), { a: 100, 'b@B': 1 })).toEqual([['a', 'a', 100]]);
  });

  it('exclude a client without subscriptions', () => {
    const events = [...times(FULL, 'a@A'), eventFor('b@B', 'none@A')];
    expect(deferred(events, { 'a@A': 100, 'b@B': 1 })).toEqual([['a@A', 'A', 100]]);
  });
});

describe('the batches of a poll (ADR-0034)', () => {
  const parts = (
    events: EventToRecord[],
    deferred: string[] = [],
    most = Number.MAX_SAFE_INTEGER,
  ): string[][] =>
    splitIntoBatches(events, {
      deferred: new Map(deferred.map((client) => [client, { organization: client, deliveries: 1 }])),
      most,
    }).map((part) => part.map(({ audience }) => audience.join()));

  it('are one without deferred events, and another one for those, which comes last', () => {
    const events = [eventFor('much'), eventFor('little'), eventFor('little', 'much')];
    expect(parts(events)).toEqual([['much', 'little', 'little,much']]);
    expect(parts(events, ['much'])).toEqual([['little'], ['much', 'little,much']]);
    expect(parts(times(2, 'much'), ['much'])).toEqual([['much', 'much']]);
  });

  it('have at most the allowed number of events', () => {
    const events = [...times(5, 'little'), ...times(3, 'much')];
    expect(parts(events, ['much'], 2).map(({ length }) => length)).toEqual([2, 2, 1, 2, 1]);
    expect(parts(times(4, 'little'), [], 4).map(({ length }) => length)).toEqual([4]);
  });
});
