import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startKillableKafka } from '@kontoport/embedded/apache-kafka';
import { fetchKafkaJars } from '@kontoport/embedded/kafka-jars';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { openKafka, topics } from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import { describeWithApacheKafka } from '@kontoport/testing/describe-with-apache-kafka';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { passOver, reportedBy, takenOf } from './offset-gap.ts';
import { type Parts, postingFor, publish, startParts } from './running.ts';

const topic = topics.postings.name;

describeWithApacheKafka(
  'a topic that begins later (ADR-0032)',
  () => {
    let parts: Parts;
    let folder: string;
    const processes: ServiceProcess[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kontoport-retention-'));
      parts = await startParts(startKillableKafka);
    }, 180_000);
    afterAll(async () => {
      await Promise.all(processes.map((process) => process.kill('SIGKILL')));
      await parts?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    async function replica(): Promise<ServiceProcess> {
      const [HTTP_PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
      const env = { ...parts.env, HTTP_PORT, OPS_PORT, LOG_LEVEL: 'info' };
      const process = startServiceProcess({ service: 'webhook-dispatcher', env });
      processes.push(process);
      await process.ready();
      return process;
    }

    /** As the retention of the topic would, by Apache Kafka's own program. */
    async function removeBefore(partition: number, offset: number): Promise<void> {
      const file = join(folder, `${offset}.json`);
      writeFileSync(file, JSON.stringify({ version: 1, partitions: [{ topic, partition, offset }] }));
      const jars = join(await fetchKafkaJars(), '*');
      const tool = 'org.apache.kafka.tools.DeleteRecordsCommand';
      const where = ['--bootstrap-server', parts.broker.brokers.join(), '--offset-json-file', file];
      await promisify(execFile)('java', ['-cp', jars, tool, ...where]);
    }

    it('causes no gap at first; records removed before they are processed are an expired gap', async () => {
      const accountId = randomUUID();
      const tell = (count: number): Promise<void> =>
        publish(
          parts.producer,
          Array.from({ length: count }, () => postingFor([], { accountId })),
        );
      const logger = createLogger({ service: 'test', level: 'silent' });
      const kafka = openKafka({ brokers: parts.broker.brokers, clientId: 'test', logger });
      const startOf = async (partition: number): Promise<bigint> =>
        (await kafka.offsetsOf({ groupId: 'test', topics: [topic] })).find(
          (each) => each.partition === partition,
        )!.logStart;

      await tell(6);
      // A broker that is new refuses groups until it has made what it keeps of them.
      const partition = await until(() => partitionWithRecords(parts), { what: 'a read of the topic' });
      await removeBefore(partition, 4);
      expect(await until(() => startOf(partition), { what: 'its first offset' })).toBe(4n);
      const first = await replica();
      await until(async () => (await takenOf(parts, topic)).includes('{[4,6)}'), { what: 'what is left' });
      await first.kill();

      await tell(5);
      await removeBefore(partition, 9);
      const second = await replica();
      await until(async () => (await takenOf(parts, topic)).includes('{[4,6),[9,11)}'), { what: 'the rest' });
      await until(() => reportedBy(processes).length > 0, { what: 'what went untaken to be told' });
      await second.kill();
      await tell(3);
      await passOver(parts, 3);
      await removeBefore(partition, 12);
      await replica();
      await until(() => reportedBy(processes).length > 2, { what: 'what was passed over' });
      expect(reportedBy(processes)).toEqual([
        { topic, from: '6', to: '9', gapStatus: 'expired' },
        { topic, from: '11', to: '12', gapStatus: 'expired' },
        { topic, from: '12', to: '14', gapStatus: 'available' },
      ]);
    }, 180_000);
  },
  { killable: true },
);

/** The one partition that has records: those of a single account. */
async function partitionWithRecords({ broker }: Parts): Promise<number> {
  const kafka = openKafka({
    brokers: broker.brokers,
    clientId: 'test',
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  const found: number[] = [];
  await kafka.readToEnd({
    groupId: 'test-reader',
    topics: [topic],
    take: async (records) => void found.push(...records.map(({ partition }) => partition)),
  });
  return found[0]!;
}
