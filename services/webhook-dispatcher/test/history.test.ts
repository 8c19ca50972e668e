import type { ServerResponse } from 'node:http';
import { until } from '@kontoport/embedded/wait';
import { dayAfter, dayOf } from '../src/retention/partition-day.model.ts';
import { createPartitions, dropPartitionsBefore } from '../src/retention/partitions.repository.ts';
import type { Answer } from './receiver.ts';
import { postingFor, publish } from './running.ts';
import { arrived, openScene, type Scene, type Subscriber } from './scene.ts';

const DAY_MS = 24 * 60 * 60_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

let scene: Scene;

let started: string;
beforeAll(async () => {
  started = dayOf(new Date());
  scene = await openScene({ WEBHOOK_RETENTION: '240h', WEBHOOK_RETRY_SCHEDULE: '0s,1h' });
});
afterAll(() => scene.close());

async function partitionsOf(table: string): Promise<string[]> {
  const { rows } = await scene.parts.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = $1::regclass ORDER BY relname`,
    [table],
  );
  return rows.map(({ name }) => name.slice(table.length + 1));
}

/** A subscription that was created 20 days ago. */
async function longSubscribed(answer?: Answer): Promise<Subscriber> {
  const subscriber = await scene.subscriber(answer);
  await scene.parts.pool.query(
    "UPDATE subscription SET created_at = now() - interval '20 days' WHERE internal_id = $1",
    [subscriber.subscription.internalId],
  );
  return subscriber;
}

/** A change of days waits 2 s for locks of the tables, and is then tried again. */
const patiently = async <T>(change: () => Promise<T>): Promise<T> =>
  (await until(async () => ({ done: await change() }), { what: 'a change of days' })).done;

const WAITS_FOR = `SELECT FROM pg_locks WHERE relation = $1::regclass AND NOT granted AND mode = 'AccessExclusiveLock'
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`;

/** Retries after a lock timeout; any other error fails the test. */
async function withPatience(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03') throw error;
    }
  }
}

const compact = (day: string): string => day.replaceAll('-', '');

describe('events and deliveries are kept in daily partitions (§6)', () => {
  it('today and tomorrow have partitions from the start', async () => {
    for (const table of ['event', 'delivery_log']) {
      await until(async () => (await partitionsOf(table)).length >= 2, { what: `days of ${table}` });
      // The day may have changed since the start.
      const twoDays = [started, dayAfter(started)].map((today) => [today, dayAfter(today)].map(compact));
      expect(twoDays.map(String)).toContain(String(await partitionsOf(table)));
    }
  });

  it('an event of days ago is delivered, and stored in the partition of its day', async () => {
    const { tpp, receiver, subscription } = await longSubscribed();
    const time = daysAgo(5);
    const posting = postingFor([tpp], { eventTime: time.toISOString() });
    await publish(scene.parts.producer, [posting, posting]);
    await arrived(receiver);
    expect(receiver.received[0]!.body.eventTime).toBe(time.toISOString());
    await scene.settled(subscription, 'delivered');
    expect(await partitionsOf('event')).toContain(compact(dayOf(time)));
    const { rows } = await scene.parts.pool.query<{ audience: string[]; content: string }>(
      'SELECT audience, content FROM event WHERE id = $1',
      [posting.eventId],
    );
    expect(rows).toEqual([{ audience: [tpp.clientId], content: expect.any(String) as string }]);
    expect({ subscriptionId: subscription.id, ...(JSON.parse(rows[0]!.content) as object) }).toEqual(
      receiver.received[0]!.body,
    );
  });

  it('an event older than the retention is skipped', async () => {
    const { tpp, receiver } = await longSubscribed();
    const old = postingFor([tpp], { eventTime: daysAgo(11).toISOString() });
    const present = postingFor([tpp], { accountId: old.accountId });
    await publish(scene.parts.producer, [old, present]);
    await arrived(receiver);
    await scene.fence([tpp]);
    await arrived(receiver, 2);
    expect(receiver.received.map(({ body }) => body.idempotencyKey)).not.toContain(old.eventId);
  });

  it('an event from a fast clock is delivered', async () => {
    const { tpp, receiver } = await scene.subscriber();
    const posting = postingFor([tpp], { eventTime: new Date(Date.now() + 50 * 60_000).toISOString() });
    await publish(scene.parts.producer, [posting]);
    await arrived(receiver);
    expect(receiver.received[0]!.body.eventTime).toBe(posting.eventTime);
  });

  it('expired days are dropped whole, with their pending deliveries', async () => {
    const { tpp, receiver, subscription } = await longSubscribed(
      (response) => void response.writeHead(500).end(),
    );
    const [old, young] = [daysAgo(8), daysAgo(7)];
    await publish(scene.parts.producer, [
      postingFor([tpp], { eventTime: old.toISOString() }),
      postingFor([tpp], { eventTime: young.toISOString() }),
    ]);
    await until(
      async () =>
        (await scene.deliveriesOf(subscription)).filter(({ attempts }) => attempts.length === 1).length === 2,
      {
        what: 'both first attempts',
      },
    );
    expect(receiver.received).toHaveLength(2);
    const before = await partitionsOf('event');
    const { days, pending } = await patiently(() => dropPartitionsBefore(scene.parts, dayOf(young)));
    expect(days).toEqual([dayOf(old)]);
    expect(pending).toBe(1);
    expect(await partitionsOf('event')).toEqual(before.filter((part) => part !== compact(dayOf(old))));
    expect(await partitionsOf('delivery_log')).not.toContain(compact(dayOf(old)));
    expect(await scene.deliveriesOf(subscription)).toHaveLength(1);
    const again = await patiently(() => dropPartitionsBefore(scene.parts, dayOf(young)));
    expect(again).toEqual({ days: [], pending: 0 });
  });

  it('an outcome of a dropped day delays no other', async () => {
    const held: ServerResponse[] = [];
    const late = await longSubscribed((response) => void held.push(response));
    const time = daysAgo(6);
    await publish(scene.parts.producer, [postingFor([late.tpp], { eventTime: time.toISOString() })]);
    await arrived(late.receiver);
    await scene.parts.pool.query(`DROP TABLE delivery_log_${compact(dayOf(time))}`);
    held[0]!.writeHead(200).end();
    await until(async () => (await scene.deliveriesOf(late.subscription)).length === 0, {
      what: 'the delivery to be gone',
    });
    const witness = await scene.subscriber();
    await publish(scene.parts.producer, [postingFor([witness.tpp])]);
    expect(await scene.settled(witness.subscription, 'delivered')).toMatchObject({ attempts: [{}] });
  });

  it.each([
    { one: 'event', other: 'delivery_log', age: 40 },
    { one: 'delivery_log', other: 'event', age: 41 },
  ])('partitions change while a transaction reads $one, then $other', async ({ one, other, age }) => {
    const { pool } = scene.parts;
    const day = dayOf(daysAgo(age));
    const works = [
      () => createPartitions({ pool }, [day]),
      () => dropPartitionsBefore({ pool }, dayAfter(day)),
    ];
    for (const work of works) {
      const reader = await pool.connect();
      await reader.query('BEGIN');
      await reader.query(`SELECT FROM ${one} LIMIT 1`);
      const done = withPatience(work);
      await until(async () => (await scene.parts.pool.query(WAITS_FOR, [one])).rowCount === 1, {
        what: `the change of ${one} to wait`,
      });
      await reader.query(`SELECT FROM ${other} LIMIT 1`);
      await reader.query('COMMIT');
      reader.release();
      await done;
    }
    for (const table of [one, other]) expect(await partitionsOf(table)).not.toContain(compact(day));
  });

  it('partitions can be created by several processes, and again', async () => {
    const days = [dayOf(daysAgo(3)), dayOf(daysAgo(2))];
    await Promise.all([1, 2, 3].map(() => patiently(() => createPartitions(scene.parts, days))));
    for (const day of days) expect(await partitionsOf('event')).toContain(compact(day));
  });
});

describe('a dispatcher drops old days by itself (§6)', () => {
  it('at its start', async () => {
    const old = dayOf(daysAgo(12));
    await patiently(() => createPartitions(scene.parts, [old]));
    expect(await partitionsOf('event')).toContain(compact(old));
    await scene.restart({ WEBHOOK_RETENTION: '240h' });
    const left = await until(
      async () => {
        const parts = await partitionsOf('event');
        return !parts.includes(compact(old)) && parts;
      },
      { what: 'the old day to go' },
    );
    expect(left).toContain(compact(dayOf(new Date())));
  });
});
