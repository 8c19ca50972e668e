import { inTransaction } from '@kontoport/database';
import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { until } from '@kontoport/embedded/wait';
import type pg from 'pg';
import { addToOutbox, createProducer, openKafka, type Producer, type Topic } from '../src/index.ts';
import {
  collect,
  firstArrivals,
  logger,
  newTopic,
  numbered,
  openOutbox,
  pendingRows,
  startRelay,
  upTo,
  writeEvents,
} from './parts.ts';

const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Guarantees on every broker. */
export function describeDelivery(options: { start: (topics: readonly Topic[]) => Promise<Broker> }): void {
  const { topic: ordered } = newTopic();
  const { topic: shared } = newTopic();
  const { topic: repeated } = newTopic();
  const { topic: faulty, deadLetters } = newTopic();
  const { topic: bulky, deadLetters: bulkyLetters } = newTopic();
  const { topic: failing } = newTopic();
  const { topic: beside } = newTopic();
  const { topic: unmade } = newTopic();
  let broker: Broker;
  let outbox: { pool: pg.Pool; close(): Promise<void> };
  let producers: Producer[] = [];

  beforeAll(async () => {
    const withLetters = [faulty, deadLetters, bulky, bulkyLetters];
    broker = await options.start([ordered, shared, repeated, failing, beside, ...withLetters]);
    outbox = await openOutbox();
  }, 120_000);

  afterEach(async () => {
    await Promise.all(producers.map((producer) => producer.close()));
    producers = [];
  });

  afterAll(async () => {
    await outbox?.close();
    await broker?.stop();
  });

  const newProducer = (): Producer => {
    const kafka = openKafka({ brokers: broker.brokers, clientId: 'test', logger });
    const producer = createProducer({ kafka });
    producers.push(producer);
    return producer;
  };

  it('publishes committed events in the order of the commits per key, and none of a rollback', async () => {
    const { pool } = outbox;
    const relay = startRelay({ pool, producer: newProducer(), logger });
    const received = collect(broker.brokers, ordered);
    await expect(
      inTransaction(pool, async (tx) => {
        await addToOutbox(tx, numbered(ordered, 'a', -1));
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');
    await writeEvents({ pool, topic: ordered, keys, count: 200 });
    await until(() => keys.every((key) => received.positions.get(key)?.length === 200), {
      what: 'all events',
    });
    for (const key of keys) expect(received.positions.get(key)).toEqual(upTo(200));
    // A row goes after the broker has its record, and a reader may be faster than that.
    await until(async () => (await pendingRows(pool)) === 0, { what: 'an empty outbox' });
    await received.close();
    await relay.close();
  });

  it('keeps the order of a key when two relays run', async () => {
    const { pool } = outbox;
    const relays = [newProducer(), newProducer()].map((producer) => startRelay({ pool, producer, logger }));
    const received = collect(broker.brokers, shared);
    const nudge = setInterval(() => relays.forEach((relay) => relay.wake()), 5);
    await writeEvents({ pool, topic: shared, keys, count: 200 });
    await until(() => keys.every((key) => received.positions.get(key)?.length === 200), {
      what: 'all events',
    });
    clearInterval(nudge);
    for (const key of keys) expect(received.positions.get(key)).toEqual(upTo(200));
    await received.close();
    await Promise.all(relays.map((relay) => relay.close()));
  });

  it('publishes again when a relay dies between acknowledgement and deletion', async () => {
    const { pool } = outbox;
    const producer = newProducer();
    let deaths = 0;
    const dying: Producer = {
      async send(records) {
        await producer.send(records);
        if (deaths++ < 2)
          await pool.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND state = 'idle in transaction' AND pid <> pg_backend_pid()`,
          );
      },
      close: () => producer.close(),
    };
    await writeEvents({ pool, topic: repeated, keys: ['a'], count: 50 });
    const relay = startRelay({ pool, producer: dying, logger });
    const received = collect(broker.brokers, repeated);
    await until(() => received.positions.get('a')?.length === 150, {
      what: 'three times fifty',
    });
    expect(firstArrivals(received.positions.get('a'))).toEqual(upTo(50));
    await until(async () => (await pendingRows(pool)) === 0, { what: 'an empty outbox' });
    await received.close();
    await relay.close();
  });

  it('lets a missing topic delay no other, and loses none of its events', async () => {
    const { pool } = outbox;
    const producer = newProducer();
    // More than a round takes, and older than all others.
    const missing = upTo(600);
    await addToOutbox(pool, ...missing.map((position) => numbered(unmade, `k${position % 16}`, position)));
    const relay = startRelay({ pool, producer, logger });
    const received = collect(broker.brokers, beside);
    await writeEvents({ pool, topic: beside, keys, count: 50 });
    await until(() => keys.every((key) => received.positions.get(key)?.length === 50), {
      what: 'the events of the other topic',
    });
    // A row leaves the outbox a moment after its record arrived.
    await until(async () => (await pendingRows(pool)) === 600, { what: 'the others to have gone' });

    await openKafka({ brokers: broker.brokers, clientId: 'test', logger }).createTopics([unmade]);
    const late = collect(broker.brokers, unmade);
    await until(async () => (await pendingRows(pool)) === 0, { what: 'an empty outbox' });
    const all = (): number[] => [...late.positions.values()].flat();
    await until(() => new Set(all()).size === 600, { what: 'the events that waited' });
    for (const positions of late.positions.values())
      expect(firstArrivals(positions)).toEqual(
        firstArrivals(positions).toSorted((one, other) => one - other),
      );
    await received.close();
    await late.close();
    await relay.close();
  });

  it('writes a dead letter with reason and origin, and continues the partition', async () => {
    const producer = newProducer();
    const good = (position: number) => ({
      topic: faulty.name,
      key: 'k',
      value: JSON.stringify({ key: 'k', position }),
      headers: { ce_id: String(position) },
    });
    const bad = { topic: faulty.name, key: 'k', value: 'not { JSON', headers: { ce_id: 'bad' } };
    await producer.send([good(0), bad, good(1)]);
    const received = collect(broker.brokers, faulty, { deadLetters: newProducer() });
    const aside: { key?: string; value?: string; headers: Record<string, string | undefined> }[] = [];
    const letters = collect(broker.brokers, deadLetters, {
      parse: (record) => {
        aside.push({ key: record.key?.toString(), value: record.value?.toString(), headers: record.headers });
        return { key: 'dead', position: 0 };
      },
    });
    await until(() => received.positions.get('k')?.length === 2 && aside.length === 1, {
      what: 'both topics',
    });
    expect(received.positions.get('k')).toEqual([0, 1]);
    expect(aside).toEqual([
      {
        key: 'k',
        value: 'not { JSON',
        headers: {
          ce_id: 'bad',
          dlq_error: expect.stringContaining('JSON') as string,
          dlq_topic: faulty.name,
          dlq_partition: expect.stringMatching(/^\d$/) as string,
          dlq_offset: '1',
          dlq_timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        },
      },
    ]);
    await received.close();
    await letters.close();
  });

  it('writes more dead letters at once than fit into one request', async () => {
    const producer = newProducer();
    for (const key of keys)
      await producer.send([{ topic: bulky.name, key, value: key.repeat(250_000), headers: {} }]);
    const received = collect(broker.brokers, bulky);
    const aside = new Map<string, number | undefined>();
    const letters = collect(broker.brokers, bulkyLetters, {
      parse: ({ key, value }) => {
        aside.set(String(key), value?.length);
        return { key: 'dead', position: 0 };
      },
    });
    await until(() => aside.size === keys.length, { what: 'the letters' });
    expect(aside).toEqual(new Map(keys.map((key) => [key, 250_000])));
    await received.close();
    await letters.close();
  });

  it('calls a handler again until it has stored the batch', async () => {
    const producer = newProducer();
    const calls: number[][] = [];
    const groupId = `test-${failing.name}`;
    const received = collect(broker.brokers, failing, {
      groupId,
      handleBatch: async (events) => {
        calls.push(events.map(({ value }) => value.position));
        if (calls.length <= 2) throw new Error('the database is away');
      },
    });
    await producer.send(
      [0, 1].map((position) => ({
        topic: failing.name,
        key: 'k',
        value: JSON.stringify({ key: 'k', position }),
        headers: {},
      })),
    );
    await until(() => calls.length === 3, { what: 'the third call' });
    expect(calls).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ]);
    await received.close();

    const next = collect(broker.brokers, failing, { groupId });
    await until(() => next.consumer.groupReady() === undefined, { what: 'the group' });
    await producer.send([{ topic: failing.name, key: 'k', value: '{"key":"k","position":2}', headers: {} }]);
    await until(() => next.positions.get('k'), { what: 'the next record' });
    expect(next.positions.get('k')).toEqual([2]);
    await next.close();
  });
}
