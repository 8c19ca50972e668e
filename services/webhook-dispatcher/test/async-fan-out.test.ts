import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { createLogger, startOpsServer } from '@kontoport/lifecycle';
import { readMetrics } from '@kontoport/testing/metrics';
import { openPlanning, type Planning, rowsRead, rowsReadSoFar } from '@kontoport/testing/statement-work';
import {
  fanOutDeferred,
  measureFanOutBacklog,
  nextOrganization,
} from '../src/async-fan-out/async-fan-out.repository.ts';
import { watchFanOutBacklog } from '../src/async-fan-out/watch-backlog.ts';
import { recordEvents } from '../src/events/record-events.repository.ts';
import { dayOf } from '../src/retention/partition-day.model.ts';
import { createPartitions } from '../src/retention/partitions.repository.ts';
import { postingFor, publish } from './running.ts';
import { arrived, openScene } from './scene.ts';

const MINUTE = 60_000;
const recorded = new Date(Date.now() - 10 * MINUTE);
const after = (minutes: number): Date => new Date(recorded.getTime() + minutes * MINUTE);
const ORGANIZATION = 'PSDDK-DFSA-1';

/** Subscriptions of a client to postings. */
const SUBSCRIBED = `
  INSERT INTO subscription (internal_id, client_id, id, sealed_key, callback_url, event_types, created_at)
  SELECT gen_random_uuid(), $1, 's-' || n, '\\x01', 'https://receiver.test/', '{Posting.CreatedV1}', now() - interval '1 day'
  FROM generate_series(1, $2::int) AS n RETURNING internal_id AS id`;
/** Events of which the deliveries of a client are to be made. */
const DEFERRED = `
  WITH fresh AS (
    INSERT INTO event (id, type, time, audience, content, recorded_at)
    SELECT gen_random_uuid(), 'Posting.CreatedV1', $3::timestamptz - n * interval '1 ms', ARRAY[$1::uuid], '{}', $3
    FROM generate_series(1, $4::int) AS n RETURNING id, time
  )
  INSERT INTO deferred_event (organization, event_time, event_id, client_id, deliveries)
  SELECT $2, time, id, $1, $5 FROM fresh
  RETURNING event_id AS id, event_time AS time`;

const twoDays = [dayOf(new Date()), dayOf(new Date(Date.now() - 24 * 60 * MINUTE))];

describe('deferred events become deliveries (ADR-0034)', () => {
  let planning: Planning;
  let clientId: string;
  let subscription: string;
  let event: { id: string; time: Date };

  beforeAll(async () => {
    planning = await openPlanning('webhook-dispatcher');
    await createPartitions(planning, twoDays);
  });
  afterAll(() => planning.close());

  beforeEach(async () => {
    await planning.pool.query('TRUNCATE subscription, event, delivery, delivery_log, deferred_event');
    clientId = randomUUID();
    subscription = (await planning.pool.query<{ id: string }>(SUBSCRIBED, [clientId, 1])).rows[0]!.id;
    event = await defer(1);
  });

  async function defer(
    count: number,
    { organization = ORGANIZATION, deliveries = 1 } = {},
  ): Promise<{ id: string; time: Date }> {
    const { rows } = await planning.pool.query<{ id: string; time: Date }>(DEFERRED, [
      clientId,
      organization,
      recorded,
      count,
      deliveries,
    ]);
    return rows[0]!;
  }

  const step = (most = 20) => fanOutDeferred(planning.pool, { organization: ORGANIZATION, most });
  const left = async (): Promise<number | null> =>
    (await planning.pool.query('SELECT FROM deferred_event')).rowCount;
  const made = async (): Promise<unknown[]> =>
    (
      await planning.pool.query(
        'SELECT subscription_id AS subscription, event_id AS event, attempts FROM delivery ORDER BY event_id',
      )
    ).rows;
  const change = (columns: string, values: unknown[] = []): Promise<unknown> =>
    planning.pool.query(`UPDATE subscription SET ${columns}`, values);

  it('for each subscription of the client, and returns its queue', async () => {
    expect(await step()).toEqual({
      events: 1,
      queues: [{ subscriptionId: subscription, clientId }],
    });
    expect(await made()).toEqual([{ subscription, event: event.id, attempts: 0 }]);
    expect(await left()).toBe(0);
    expect(await step()).toEqual({ events: 0, queues: [] });
  });

  const PAUSED = "status = 'PAUSED', paused_reason = 'GONE', paused_at = $1";
  it.each([
    ['was deleted', "status = 'DELETED', sealed_key = '', callback_url = ''", [], 0],
    ['was paused when the event was recorded, and is', PAUSED, [after(-1)], 0],
    ['was paused at that moment', PAUSED, [after(0)], 0],
    ['was paused after that: what waits then goes on when the pause ends', PAUSED, [after(1)], 1],
    ['is younger than the event by more than a minute', 'created_at = $1', [after(1.1)], 0],
    ['is younger than the event by as much as two clocks may differ', 'created_at = $1', [after(0.9)], 1],
    ['has other event types by now', "event_types = '{Consent.RevokedV1}'", [], 0],
  ])('for a subscription that %s', async (_what, columns, values, deliveries) => {
    await change(columns, values);
    expect(await step()).toMatchObject({ events: 1 });
    expect(await made()).toHaveLength(deliveries);
    expect(await left()).toBe(0);
  });

  it('but none that exists already, for example by a replay', async () => {
    const second = await defer(1);
    await planning.pool.query(
      'INSERT INTO delivery (subscription_id, event_id, event_time, attempts) VALUES ($1, $2, $3, 3)',
      [subscription, event.id, event.time],
    );
    await planning.pool.query(
      `INSERT INTO delivery_log (subscription_id, event_id, event_time, status, attempts, made, finished_at)
       VALUES ($1, $2, $3, 'delivered', 1, '[]', now())`,
      [subscription, second.id, second.time],
    );
    expect(await step()).toEqual({ events: 2, queues: [] });
    expect(await made()).toEqual([{ subscription, event: event.id, attempts: 3 }]);
    expect(await left()).toBe(0);
  });

  it('but none of an expired event', async () => {
    await planning.pool.query('TRUNCATE event');
    expect(await step()).toEqual({ events: 1, queues: [] });
    expect(await left()).toBe(0);
  });

  it('as many as a step has room for, oldest first, without rows that another process has locked', async () => {
    await defer(4);
    const [one, other] = planning.connections;
    await one.query('BEGIN');
    expect(await fanOutDeferred(one, { organization: ORGANIZATION, most: 3 })).toMatchObject({ events: 3 });
    const { rows } = await one.query('SELECT event_time AS time FROM delivery ORDER BY event_time');
    expect(rows).toEqual([4, 3, 2].map((ms) => ({ time: new Date(recorded.getTime() - ms) })));
    expect(await fanOutDeferred(other, { organization: ORGANIZATION, most: 3 })).toMatchObject({ events: 2 });
    await one.query('COMMIT');
    expect(await left()).toBe(0);
    expect(await made()).toHaveLength(5);
  });

  it.each([
    [1, 1],
    [3, 1],
    [4, 2],
    [9, 3],
  ])('with room for %i, at three deliveries each, of %i events', async (most, events) => {
    await planning.pool.query('TRUNCATE deferred_event');
    await defer(5, { deliveries: 3 });
    expect(await step(most)).toMatchObject({ events });
    expect(await left()).toBe(5 - events);
  });

  it('round robin by organization', async () => {
    for (const organization of ['A', 'B', 'C']) await defer(1, { organization });
    const turns = ['', 'A', 'B', 'C', ORGANIZATION, 'Z'];
    const next = [];
    for (const last of turns) next.push(await nextOrganization(planning.pool, last));
    expect(next).toEqual(['A', 'B', 'C', ORGANIZATION, 'A', 'A']);
    await planning.pool.query('TRUNCATE deferred_event');
    expect(await nextOrganization(planning.pool, 'A')).toBeUndefined();
  });

  it('with metrics of their number and age', async () => {
    await defer(2);
    const ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
    const told = async (): Promise<number[]> => {
      const { families } = await readMetrics(ops.port);
      return [
        'kontoport_webhook_fan_out_pending_events',
        'kontoport_webhook_fan_out_oldest_age_seconds',
      ].flatMap((name) => families.get(name)?.series.map(({ value }) => value) ?? []);
    };
    expect(await told()).toEqual([]);
    const logger = createLogger({ service: 'test', level: 'silent' });
    const watch = watchFanOutBacklog({ db: { management: planning.connections[0] }, logger });
    watch.start();
    const [events, seconds] = await until(
      async () => {
        const now = await told();
        return now.length > 0 && now;
      },
      { what: 'a look' },
    );
    expect(events).toBe(3);
    expect(seconds).toBeGreaterThanOrEqual(600);
    expect(seconds).toBeLessThan(1_200);
    await watch.close();
    expect(await told()).toEqual([]);
    await ops.close();
  });
});

describe.each([
  ['never taken', undefined],
  ['taken on empty tables', 'before'],
  ['taken with all that is deferred', 'after'],
])('a step reads only its share of the deferred events, statistics %s', (_name, analyzed) => {
  const DEFERRED_EVENTS = 20_000;
  const LANES = 10;
  const EVENTS = 20;
  const MOST = EVENTS * LANES;
  let planning: Planning;

  beforeAll(async () => {
    planning = await openPlanning('webhook-dispatcher');
    await createPartitions(planning, twoDays);
    if (analyzed === 'before') await planning.pool.query('ANALYZE');
    await rowsRead(planning.connections[1], (tx) => fanOutDeferred(tx, { organization: 'x', most: MOST }));
    await rowsRead(planning.connections[1], (tx) => nextOrganization(tx, 'x'));
    await rowsRead(planning.connections[1], (tx) => measureFanOutBacklog(tx, 100));
    for (const organization of ['A', 'B']) {
      const clientId = randomUUID();
      await planning.pool.query(SUBSCRIBED, [clientId, LANES]);
      await planning.pool.query(DEFERRED, [clientId, organization, recorded, DEFERRED_EVENTS, LANES]);
    }
    if (analyzed === 'after') await planning.pool.query('ANALYZE');
  });
  afterAll(() => planning.close());

  it('the next organization is found by reading one event', async () => {
    for (const connection of planning.connections)
      expect(
        await rowsRead(connection, async (tx) => expect(await nextOrganization(tx, 'A')).toBe('B')),
      ).toBeLessThanOrEqual(2);
  });

  it('the backlog is measured by reading the counted events, and one of each organization', async () => {
    for (const connection of planning.connections)
      expect(
        await rowsRead(connection, async (tx) =>
          expect(await measureFanOutBacklog(tx, 100)).toMatchObject({ events: 100 }),
        ),
      ).toBeLessThanOrEqual(100 + 2 * 3);
  });

  it('an event is deferred without reading deferred events or subscriptions', async () => {
    const clientId = randomUUID();
    const events = Array.from({ length: 500 }, (_, ms) => ({
      id: randomUUID(),
      type: 'Posting.CreatedV1' as const,
      time: new Date(recorded.getTime() + ms),
      audience: [clientId],
      content: '{}',
      traceparent: undefined,
    }));
    for (const connection of planning.connections)
      await rowsRead(connection, async (tx) => {
        const before = await rowsReadSoFar(tx);
        expect(
          await recordEvents(tx, events, [], new Map([[clientId, { organization: 'B', deliveries: LANES }]])),
        ).toEqual([]);
        expect((await rowsReadSoFar(tx)) - before).toBeLessThanOrEqual(events.length);
        const { rowCount } = await tx.query('SELECT FROM deferred_event WHERE client_id = $1', [clientId]);
        expect(rowCount).toBe(events.length);
      });
  });

  it('a step reads its events and the subscriptions of their clients', async () => {
    for (const connection of planning.connections)
      expect(
        await rowsRead(connection, async (tx) => {
          const { events, queues } = await fanOutDeferred(tx, { organization: 'B', most: MOST });
          expect([events, queues.length]).toEqual([EVENTS, LANES]);
        }),
        // The rows that are locked to be counted, the deferred and their events, and the subscriptions of each.
      ).toBeLessThanOrEqual(MOST + EVENTS * (3 + LANES) + 2 * LANES);
  });
});

describe('the deferred events of a dispatcher that has ended', () => {
  it('are delivered by the next one, round robin by organization', async () => {
    const MUCH = 20_000;
    const scene = await openScene();
    const { pool, producer } = scene.parts;
    try {
      const { tpp, receiver, subscription } = await scene.subscriber();
      await publish(producer, [postingFor([tpp])]);
      await scene.settled(subscription, 'delivered');
      await scene.service.stop();
      await pool.query(DEFERRED, [randomUUID(), 'A', recorded, MUCH, 100]);
      // As if the dispatcher had ended before this delivery.
      await pool.query(
        `WITH ended AS (DELETE FROM delivery_log WHERE subscription_id = $1 RETURNING event_time, event_id)
         INSERT INTO deferred_event (organization, event_time, event_id, client_id, deliveries)
         SELECT 'B', event_time, event_id, $2, 1 FROM ended`,
        [subscription.internalId, tpp.clientId],
      );
      await scene.restart();
      await arrived(receiver, 2);
      const { rows } = await pool.query<{ left: number }>('SELECT count(*)::int AS left FROM deferred_event');
      expect(rows[0]!.left).toBeGreaterThan(0);
      expect(rows[0]!.left).toBeLessThan(MUCH);
      const [first, second] = receiver.received;
      expect(second!.raw).toEqual(first!.raw);
    } finally {
      await scene.close();
    }
  });
});
