import { inTransaction } from '@kontoport/database';
import { startKillableKafka } from '@kontoport/embedded/apache-kafka';
import { type KillableBroker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { until } from '@kontoport/embedded/wait';
import { describeWithApacheKafka } from '@kontoport/testing/describe-with-apache-kafka';
import type pg from 'pg';
import { addToOutbox, createProducer, openKafka, type Topic } from '../src/index.ts';
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
} from './parts.ts';

const keys = ['a', 'b', 'c', 'd'];

/** Guarantees when a broker crashes, of every kind. */
function describeCrash(start: (topics: readonly Topic[]) => Promise<KillableBroker>): void {
  const { topic } = newTopic();
  let broker: KillableBroker;
  let outbox: { pool: pg.Pool; close(): Promise<void> };

  beforeAll(async () => {
    broker = await start([topic]);
    outbox = await openOutbox();
  }, 120_000);

  afterAll(async () => {
    await outbox?.close();
    await broker?.stop();
  });

  it('loses nothing and keeps the order of first arrivals, twice, without a restart of the service', async () => {
    const { pool } = outbox;
    const kafka = openKafka({ brokers: broker.brokers, clientId: 'test', logger });
    const producer = createProducer({ kafka });
    const relay = startRelay({ pool, producer, logger });
    const received = collect(broker.brokers, topic);
    const written = new Map(keys.map((key) => [key, 0]));
    let writing = true;
    const writers = keys.map(async (key) => {
      while (writing) {
        const position = written.get(key)!;
        await inTransaction(pool, (tx) => addToOutbox(tx, numbered(topic, key, position)));
        written.set(key, position + 1);
        relay.wake();
      }
    });
    const arrived = (count: number) => () =>
      keys.every((key) => firstArrivals(received.positions.get(key)).length > count);

    await until(arrived(20), { what: 'the first events', timeout: 60_000 });
    for (const _ of ['once', 'again']) {
      await broker.kill();
      const before = Math.max(...written.values());
      await until(() => Math.min(...written.values()) > before + 20, {
        what: 'writes while the broker is away',
      });
      await broker.start();
      await until(arrived(before + 20), { what: 'events from after the crash', timeout: 60_000 });
    }
    writing = false;
    await Promise.all(writers);
    const all = () =>
      keys.every((key) => firstArrivals(received.positions.get(key)).length === written.get(key));
    await until(all, { what: 'every event', timeout: 60_000 });
    for (const key of keys)
      expect(firstArrivals(received.positions.get(key))).toEqual(upTo(written.get(key)!));
    await until(async () => (await pendingRows(pool)) === 0, { what: 'an empty outbox' });
    await received.close();
    await relay.close();
    await producer.close();
  }, 180_000);
}

describeWithApacheKafka(
  'Apache Kafka killed with SIGKILL while events flow',
  () => {
    describeCrash(startKillableKafka);
  },
  { killable: true },
);

describe('the embedded broker killed with SIGKILL while events flow', () => {
  describeCrash(startEmbeddedKafka);
});
