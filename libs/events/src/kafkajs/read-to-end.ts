import type { Kafka as KafkaJs } from 'kafkajs';
import type { TopicReading } from '../kafka.ts';
import { readRecord } from './batch-runner.ts';

/** Without a record for so long, another member has the partitions. */
const STALL_MS = 60_000;

/** The partitions that hold something, with the offset at which they end by now. */
async function endsOf(client: KafkaJs, topics: readonly string[]): Promise<Map<string, bigint>> {
  const admin = client.admin();
  try {
    await admin.connect();
    const ends = new Map<string, bigint>();
    for (const topic of topics)
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic))
        if (BigInt(low) < BigInt(high)) ends.set(`${topic}/${partition}`, BigInt(high));
    return ends;
  } finally {
    await admin.disconnect().catch(() => {});
  }
}

/** One kafkajs consumer that reads topics from the beginning to where they end now. */
export async function readToEnd({
  client,
  reading,
}: {
  client: KafkaJs;
  reading: TopicReading;
}): Promise<void> {
  const { groupId, topics, take } = reading;
  const left = await endsOf(client, topics);
  if (left.size === 0) return;
  const next = new Map<string, bigint>();
  const done = Promise.withResolvers<void>();
  const consumer = client.consumer({
    groupId,
    maxWaitTimeInMs: 100,
    allowAutoTopicCreation: false,
    retry: { retries: 5, restartOnFailure: async () => false },
  });
  const stalled = setTimeout(
    () => done.reject(new Error(`somebody else reads these topics in the group ${groupId}`)),
    STALL_MS,
  );
  consumer.on(consumer.events.CRASH, ({ payload }) => done.reject(payload.error));
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      async eachBatch({ batch }) {
        const { topic, partition, messages } = batch;
        const place = `${topic}/${partition}`;
        const end = left.get(place);
        if (end === undefined) return;
        stalled.refresh();
        const from = next.get(place) ?? 0n;
        // After a rebalance it begins anew.
        const fresh = messages.filter(({ offset }) => BigInt(offset) >= from && BigInt(offset) < end);
        const reached = BigInt(batch.lastOffset()) + 1n;
        if (fresh.length > 0) await take(fresh.map((message) => readRecord({ topic, partition, message })));
        next.set(place, reached);
        if (reached >= end) left.delete(place);
        if (left.size === 0) done.resolve();
      },
    });
    await done.promise;
  } finally {
    clearTimeout(stalled);
    done.promise.catch(() => {});
    await consumer.disconnect().catch(() => {});
  }
}
