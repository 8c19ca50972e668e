import { describeError, type Logger } from '@kontoport/lifecycle';
import type { Consumer, Kafka as KafkaJs } from 'kafkajs';
import type { Membership } from '../kafka.ts';
import { CLOSE_LIMIT_MS, withTimeout } from '../timeouts.ts';
import { assignBySubscription } from './assigner.ts';
import { BatchRunner } from './batch-runner.ts';

/** More batches than this in one answer of a broker wait for the first of them. */
const BATCHES_AT_ONCE = 128;

/** One kafkajs consumer from its start until it crashes or we close. */
export async function joinGroup(options: {
  client: KafkaJs;
  membership: Membership;
  logger: Logger;
}): Promise<void> {
  const { client, membership } = options;
  const { groupId, topics, sessionTimeoutMs, closing } = membership;
  const logger = options.logger.child({ groupId });
  const consumer = client.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    rebalanceTimeout: sessionTimeoutMs,
    heartbeatInterval: sessionTimeoutMs / 10,
    // Far below the session timeout: an idle member sends heartbeats only between fetches.
    maxWaitTimeInMs: 500,
    allowAutoTopicCreation: false,
    partitionAssigners: [assignBySubscription],
    retry: {
      initialRetryTime: 100,
      maxRetryTime: 1_000,
      retries: 5,
      // kafkajs restarts some crashes and not others; our caller restarts all.
      restartOnFailure: async () => false,
    },
  });
  const runner = new BatchRunner({
    membership,
    onNotCommitted: (error) => logger.warn({ error: describeError(error) }, 'offsets not committed'),
  });
  const ended = endOf(consumer, closing);
  // An assigned partition begins at its committed offset, whatever was in flight before.
  consumer.on(consumer.events.GROUP_JOIN, () => {
    runner.onRevoked();
    membership.onMembership(true);
  });
  consumer.on(consumer.events.REBALANCING, () => {
    runner.onRevoked();
    membership.onMembership(false);
  });
  const joining = (async () => {
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: BATCHES_AT_ONCE,
      eachBatch: (payload) => runner.run(payload),
    });
  })();
  try {
    // A broker that does not answer delays a join by a minute: we may close before.
    await Promise.race([ended, joining.then(() => ended)]);
    // Before the member leaves: what is stored must still be committed.
    await runner.drain();
  } finally {
    runner.onRevoked();
    await runner.idle();
    membership.onMembership(false);
    // A member that has not joined cannot leave. A late departure ends by itself, and the process does not wait for it.
    const leaving = joining.catch(() => {}).then(() => consumer.disconnect());
    await withTimeout(
      leaving.catch(() => {}),
      CLOSE_LIMIT_MS,
    );
  }
}

/** Resolves when we close, rejects with what crashed the consumer. */
function endOf(consumer: Consumer, closing: AbortSignal): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    if (closing.aborted) resolve();
    closing.addEventListener('abort', () => resolve(), { once: true });
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
  });
  // The crash may come before anyone waits for the end.
  ended.catch(() => {});
  return ended;
}
