import { inTransaction } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import type pg from 'pg';
import { addToOutbox, type OutgoingRecord, type Producer } from '../src/index.ts';
import { logger, newTopic, numbered, openOutbox, pendingRows, startRelay, upTo } from './parts.ts';

const { topic } = newTopic();
let outbox: { pool: pg.Pool; close(): Promise<void> };

beforeAll(async () => {
  outbox = await openOutbox();
});

afterAll(() => outbox.close());

/** A broker that a test can inspect and switch off; the real ones are in the suites beside this file. */
function recorder(): Producer & {
  sends: OutgoingRecord[][];
  /** Topics and haste of each try. */
  tries: [string, boolean][];
  away: boolean;
  missing: Set<string>;
} {
  const sends: OutgoingRecord[][] = [];
  return {
    sends,
    tries: [],
    away: false,
    missing: new Set(),
    async send(records, options) {
      const topics = new Set(records.map((record) => record.topic));
      this.tries.push([[...topics].toSorted().join(' '), options?.failFast === true]);
      if (this.away) throw new Error('the broker is away');
      if ([...topics].some((each) => this.missing.has(each))) throw new Error('no such topic');
      sends.push([...records]);
    },
    close: async () => {},
  };
}

describe('the outbox', () => {
  it('gives a record CloudEvents headers and the trace context of its creation', async () => {
    const producer = recorder();
    const event = numbered(topic, 'a', 7);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await addToOutbox(outbox.pool, { ...event, traceparent });
    const relay = startRelay({ pool: outbox.pool, producer, logger });
    await relay.close();
    expect(producer.sends.flat()).toEqual([
      {
        topic: topic.name,
        key: 'a',
        value: '{"key":"a","position":7}',
        headers: {
          ce_specversion: '1.0',
          ce_id: event.eventId,
          ce_type: 'Test.CreatedV1',
          ce_source: 'urn:kontoport:test',
          ce_time: '2026-11-20T10:00:00.123Z',
          'content-type': 'application/json',
          traceparent,
        },
      },
    ]);
  });

  it('serializes transactions with the same key only', async () => {
    const producer = recorder();
    const { pool } = outbox;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => (entered = resolve));
    const first = inTransaction(pool, async (tx) => {
      await addToOutbox(tx, numbered(topic, 'same', 0));
      entered();
      await held;
    });
    await inside;
    let secondDone = false;
    const second = addToOutbox(pool, numbered(topic, 'same', 1)).then(() => (secondDone = true));
    await addToOutbox(pool, numbered(topic, 'other', 0));
    await until(
      async () =>
        (
          await pool.query(
            "SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()",
          )
        ).rowCount === 1,
      { what: 'the second to wait' },
    );
    expect(secondDone).toBe(false);
    release();
    await Promise.all([first, second]);
    await startRelay({ pool, producer, logger }).close();
    const same = producer.sends.flat().filter(({ key }) => key === 'same');
    expect(same.map(({ value }) => value)).toEqual([
      '{"key":"same","position":0}',
      '{"key":"same","position":1}',
    ]);
  });

  it('refuses an event that is too large', async () => {
    const event = { ...numbered(topic, 'a', 0), value: 'x'.repeat(300_000) };
    await expect(addToOutbox(outbox.pool, event)).rejects.toThrow('an event is larger than 262144 bytes');
  });
});

describe('the relay', () => {
  it('sends large events in small batches, and drains at close', async () => {
    const producer = recorder();
    const { pool } = outbox;
    for (const position of upTo(8))
      await addToOutbox(pool, {
        ...numbered(topic, 'large', position),
        value: { position, pad: 'x'.repeat(200_000) },
      });
    const relay = startRelay({ pool, producer, logger });
    await relay.close();
    expect(producer.sends.map((records) => records.length)).toEqual([2, 2, 2, 2]);
    expect(await pendingRows(pool)).toBe(0);
  });

  it('sends many small events at most 500 at once', async () => {
    const producer = recorder();
    const { pool } = outbox;
    await addToOutbox(pool, ...upTo(1_200).map((position) => numbered(topic, 'small', position)));
    await startRelay({ pool, producer, logger }).close();
    expect(producer.sends.map((records) => records.length)).toEqual([500, 500, 200]);
    expect(producer.sends.flat().map(({ value }) => value)).toEqual(
      upTo(1_200).map((position) => JSON.stringify({ key: 'small', position })),
    );
  });

  it('finds the failing topic, sends the others, and then tries it alone with `failFast`', async () => {
    const producer = recorder();
    const { pool } = outbox;
    const [good, bad] = [
      { ...topic, name: 'a.good' },
      { ...topic, name: 'b.bad' },
    ];
    producer.missing.add('b.bad');
    for (const position of upTo(3)) {
      await addToOutbox(pool, numbered(bad, 'k', position));
      await addToOutbox(pool, numbered(good, 'k', position));
    }
    const relay = startRelay({ pool, producer, logger });
    await until(() => producer.tries.length >= 5, { what: 'some tries' });
    expect(producer.tries.slice(0, 3)).toEqual([
      ['a.good b.bad', false],
      ['b.bad', true],
      ['a.good', true],
    ]);
    expect(new Set(producer.tries.slice(3).map(String))).toEqual(new Set(['b.bad,true']));
    expect(producer.sends.flat().map((record) => [record.topic, record.value])).toEqual(
      upTo(3).map((position) => ['a.good', JSON.stringify({ key: 'k', position })]),
    );
    producer.missing.clear();
    await until(async () => (await pendingRows(pool)) === 0, { what: 'an empty outbox' });
    expect(producer.sends.flat().filter((record) => record.topic === 'b.bad')).toHaveLength(3);
    // A topic that works again is sent with the others again.
    await inTransaction(pool, (tx) => addToOutbox(tx, numbered(good, 'k', 3), numbered(bad, 'k', 3)));
    relay.wake();
    await until(async () => (await pendingRows(pool)) === 0, { what: 'an empty outbox' });
    await relay.close();
    expect(producer.tries.at(-1)).toEqual(['a.good b.bad', false]);
  });

  it('closes in bounded time while the broker does not answer, and keeps the rows', async () => {
    const producer = { send: () => new Promise<void>(() => {}), close: async () => {} };
    const { pool } = outbox;
    await addToOutbox(pool, numbered(topic, 'mute', 0));
    await startRelay({ pool, producer, logger, drainMs: 50 }).close();
    expect(await pendingRows(pool)).toBe(1);
    await startRelay({ pool, producer: recorder(), logger }).close();
    expect(await pendingRows(pool)).toBe(0);
  });
});
