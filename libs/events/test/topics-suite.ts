import { randomUUID } from 'node:crypto';
import type { Broker } from '@kontoport/embedded/embedded-kafka';
import { until } from '@kontoport/embedded/wait';
import { createProducer, type OffsetRange, openKafka, type Producer, type Topic } from '../src/index.ts';
import { collectTopics, firstArrivals, logger, newTopic, upTo } from './parts.ts';

const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Guarantees on every broker when one group reads several topics. */
export function describeSeveralTopics(options: {
  start: (topics: readonly Topic[]) => Promise<Broker>;
}): void {
  const cases = {
    slow: [newTopic(), newTopic()],
    rejecting: [newTopic(), newTopic()],
    shared: [newTopic(), newTopic()],
    told: [newTopic(), newTopic()],
  } as const;
  let broker: Broker;
  let producer: Producer;

  beforeAll(async () => {
    const made = Object.values(cases)
      .flat()
      .flatMap(({ topic, deadLetters }) => [topic, deadLetters]);
    broker = await options.start(made);
    const kafka = openKafka({ brokers: broker.brokers, clientId: 'test', logger });
    producer = createProducer({ kafka });
  }, 120_000);

  afterAll(async () => {
    await producer?.close();
    await broker?.stop();
  });

  /** One record for each key, hence some for each partition. */
  const publish = (topic: Topic, position: number): Promise<void> =>
    producer.send(
      keys.map((key) => ({ topic: topic.name, key, value: JSON.stringify({ key, position }), headers: {} })),
    );
  const has = (positions: Map<string, number[]>, count: number): boolean =>
    keys.every((key) => new Set(positions.get(key)).size === count);

  describe.each(['slow', 'rejecting'] as const)('a %s handler', (how) => {
    const [{ topic: held }, { topic: free }] = cases[how];

    it('delays only its own topic, for longer than a session, and loses nothing', async () => {
      let release = (): void => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      let isReleased = false;
      let calls = 0;
      const stored = new Map<string, number[]>();
      const groupId = `test-${held.name}`;
      const members = collectTopics(
        broker.brokers,
        [
          {
            topic: held.name,
            async handleBatch(events) {
              calls += 1;
              if (how === 'slow') await released;
              else if (!isReleased) throw new Error('the database is away');
              for (const { value } of events)
                stored.set(value.key, [...(stored.get(value.key) ?? []), value.position]);
            },
          },
          { topic: free.name },
        ],
        { groupId, sessionTimeoutMs: 3_000 },
      );
      const flowing = members.received.get(free.name)!;
      await publish(held, 0);
      await publish(held, 1);
      await until(() => calls > 0, { what: 'the handler to be called' });
      // More than a session without a heartbeat would last.
      const startedAt = performance.now();
      for (let position = 0; position < 8; position++) {
        const before = performance.now();
        await publish(free, position);
        await until(() => has(flowing, position + 1), {
          what: `position ${position} of the free topic`,
        });
        await until(() => performance.now() - before > 500, { what: 'half a second' });
      }
      expect(performance.now() - startedAt).toBeGreaterThan(3_500);
      expect(stored.size).toBe(0);

      isReleased = true;
      release();
      await until(() => has(stored, 2), { what: 'the held topic' });
      for (const key of keys) {
        expect(firstArrivals(stored.get(key))).toEqual([0, 1]);
        expect(firstArrivals(flowing.get(key))).toEqual(upTo(8));
      }
      await members.close();

      const next = collectTopics(broker.brokers, [{ topic: held.name }, { topic: free.name }], { groupId });
      await until(() => next.consumer.groupReady() === undefined, { what: 'the group' });
      await publish(held, 2);
      await publish(free, 8);
      await until(() => has(next.received.get(held.name)!, 1) && has(next.received.get(free.name)!, 1), {
        what: 'the next records',
      });
      // The next member does not get a stored record: its offset was committed.
      for (const key of keys) {
        expect(next.received.get(held.name)!.get(key)).toEqual([2]);
        expect(next.received.get(free.name)!.get(key)).toEqual([8]);
      }
      await next.close();
    });
  });

  it('shares the partitions of every topic among members that join and leave', async () => {
    const [{ topic: one }, { topic: other }] = cases.shared;
    const groupId = `test-${randomUUID()}`;
    const join = () =>
      collectTopics(broker.brokers, [{ topic: one.name }, { topic: other.name }], { groupId });
    const positionsOf = (member: ReturnType<typeof join>, topic: Topic) => member.received.get(topic.name)!;
    const first = join();
    await until(() => first.consumer.groupReady() === undefined, { what: 'the first' });
    const second = join();
    let published = 0;
    const members = [first, second];
    await until(
      async () => {
        await publish(one, published);
        await publish(other, published);
        published += 1;
        return members.every((member) => [one, other].every((topic) => positionsOf(member, topic).size > 0));
      },
      { what: 'both members to get records of both topics' },
    );
    await first.close();
    await until(
      async () => {
        await publish(one, published);
        await publish(other, published);
        published += 1;
        return [one, other].every((topic) => positionsOf(second, topic).size === keys.length);
      },
      { what: 'the one that stayed to get everything' },
    );
    for (const topic of [one, other]) {
      const arrivedOf = (key: string) =>
        new Set(members.flatMap((member) => positionsOf(member, topic).get(key) ?? []));
      await until(() => keys.every((key) => arrivedOf(key).size === published), {
        what: 'every record',
      });
    }
    await second.close();
  }, 120_000);

  it('passes every offset to the handler, also of bad records, and reports the offsets of the group', async () => {
    const [{ topic: told }, { topic: quiet }] = cases.told;
    const groupId = `test-${told.name}`;
    const send = (...values: string[]): Promise<void> =>
      producer.send(values.map((value) => ({ topic: told.name, key: 'k', value, headers: {} })));
    const kafka = openKafka({ brokers: broker.brokers, clientId: 'test', logger });
    const progress = async () => {
      const all = await kafka.offsetsOf({ groupId, topics: [told.name, quiet.name] });
      expect(all.map(({ topic, partition }) => `${topic} ${partition}`).toSorted()).toEqual(
        [told, quiet]
          .flatMap(({ name, partitions }) => upTo(partitions).map((partition) => `${name} ${partition}`))
          .toSorted(),
      );
      expect(all.filter(({ logStart }) => logStart !== 0n)).toEqual([]);
      return all
        .filter(({ committed }) => committed !== undefined)
        .map(({ topic, committed }) => ({ topic, committed }));
    };
    expect(await progress()).toEqual([]);

    await send('not { JSON');
    const taken: OffsetRange[] = [];
    const member = collectTopics(
      broker.brokers,
      [
        { topic: told.name, handleBatch: async (_events, ranges) => void taken.push(...ranges) },
        { topic: quiet.name },
      ],
      { groupId },
    );
    await until(() => taken.length > 0, { what: 'the bad record to be told' });
    const { partition } = taken[0]!;
    expect(taken).toEqual([{ topic: told.name, partition, from: 0n, to: 1n }]);
    await send('{"key":"k","position":0}', 'not { JSON');
    await until(() => taken.at(-1)!.to === 3n, { what: 'the others to be told' });
    expect(taken.every(({ from }, at) => from === (taken[at - 1]?.to ?? 0n))).toBe(true);
    await member.close();
    expect(await progress()).toEqual([{ topic: told.name, committed: 3n }]);
  });
}
