import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeWithApacheKafka } from '@kontoport/testing/describe-with-apache-kafka';
import { type Broker, startEmbeddedKafka } from '../src/embedded-kafka.ts';
import { fetchKafkaJars } from '../src/kafka-jars.ts';

const COUNT = 2_000;
const execute = promisify(execFile);

describeWithApacheKafka(
  'Apache Kafka’s own clients on the embedded broker',
  () => {
    let jars: string;
    let broker: Broker;

    beforeAll(async () => {
      jars = await fetchKafkaJars();
      broker = await startEmbeddedKafka([
        { name: 'numbers', partitions: 3, key: '', description: '', source: '' },
      ]);
    }, 120_000);
    afterAll(() => broker?.stop());

    /** Runs a program of kafka-tools; what it prints are JSON lines. */
    const run = async (program: string, ...args: string[]): Promise<Record<string, unknown>[]> => {
      const { stdout } = await execute(
        'java',
        [
          '-XX:TieredStopAtLevel=1',
          '-cp',
          join(jars, '*'),
          `org.apache.kafka.tools.${program}`,
          '--bootstrap-server',
          broker.brokers[0]!,
          '--topic',
          'numbers',
          '--max-messages',
          String(COUNT),
          ...args,
        ],
        { maxBuffer: 1 << 26 },
      );
      return stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };

    it('write idempotently and read everything once, in the order of each partition', async () => {
      const sent = await run('VerifiableProducer', '--acks', '-1');
      const acknowledged = sent.filter(({ name }) => name === 'producer_send_success');
      expect(acknowledged.length).toBe(COUNT);

      const read = await run(
        'VerifiableConsumer',
        '--group-id',
        'readers',
        '--group-protocol',
        'classic',
        '--reset-policy',
        'earliest',
        '--verbose',
      );
      const records = read.filter(({ name }) => name === 'record_data');
      expect(records.map(({ value }) => Number(value)).toSorted((a, b) => a - b)).toEqual([
        ...Array(COUNT).keys(),
      ]);
      for (const inPartition of Map.groupBy(records, ({ partition }) => partition).values())
        expect(inPartition.map(({ offset }) => offset)).toEqual([...inPartition.keys()]);
    }, 120_000);
  },
  { killable: true },
);
