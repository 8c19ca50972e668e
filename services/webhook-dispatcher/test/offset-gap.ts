import { until } from '@kontoport/embedded/wait';
import { openKafka, topics } from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import type { ServiceProcess } from '@kontoport/testing/service-process';
import type { Parts } from './running.ts';

/** The topics that the dispatcher reads. */
export const TOPICS = [topics.postings.name, topics.consents.name, topics.transfers.name];

/**
 * Makes the dispatcher's group commit records that it has not processed, as if its database had lost its progress.
 * @param records how many there are
 */
export async function passOver(parts: Parts, records: number): Promise<void> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const kafka = openKafka({ brokers: parts.broker.brokers, clientId: 'test', logger });
  const closing = new AbortController();
  let seen = 0;
  const member = kafka.joinGroup({
    groupId: 'webhook-dispatcher',
    topics: TOPICS,
    sessionTimeoutMs: 6_000,
    async take(batches) {
      seen += batches.reduce((sum, batch) => sum + batch.records.length, 0);
      return true;
    },
    onMembership: () => {},
    closing: closing.signal,
  });
  await until(() => seen >= records, { what: 'records to be passed over' });
  closing.abort();
  await member;
}

/** The reports of all processes about records that were passed over. */
export function reportedBy(processes: readonly ServiceProcess[]): Record<string, unknown>[] {
  return processes
    .flatMap(({ log }) => log.filter(({ msg }) => msg === 'records passed over'))
    .map(({ topic, from, to, gapStatus }) => ({ topic, from, to, gapStatus }));
}

/** The offsets that are recorded as processed, of partitions that have some. */
export async function takenOf({ pool }: Parts, topic: string): Promise<string[]> {
  const { rows } = await pool.query<{ taken: string }>(
    'SELECT taken::text FROM intake WHERE topic = $1 ORDER BY partition',
    [topic],
  );
  return rows.map(({ taken }) => taken);
}
