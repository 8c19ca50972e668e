import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { runCommandLine } from '@kontoport/command';
import { type Broker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { until } from '@kontoport/embedded/wait';
import {
  createProducer,
  type IncomingRecord,
  type Kafka,
  openKafka,
  type Producer,
  readEvent,
  startConsumers,
  type Topic,
  topics,
} from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import type { Said } from '@kontoport/testing/kontoport';
import { deadLetterCommands } from '../src/commands.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const SECRET = 'the content of a record';

interface Told {
  letter: string;
  reason: string;
  size: number;
  at: string;
  origin: { topic: string; partition: number; offset: string };
  outcome?: string;
}

let broker: Broker;
let kafka: Kafka;
let producer: Producer;

beforeAll(async () => {
  broker = await startEmbeddedKafka(Object.values(topics));
  kafka = openKafka({ brokers: broker.brokers, clientId: 'test', logger });
  producer = createProducer({ kafka });
});

afterAll(async () => {
  await producer.close();
  await broker.stop();
});

/** Runs a command in this process; what it printed and how it ended. */
async function run(...args: string[]): Promise<Said> {
  const env = { KAFKA_BROKERS: broker.brokers.join() };
  const said = { stdout: '', stderr: '' };
  const log = jest
    .spyOn(console, 'log')
    .mockImplementation((line: string) => void (said.stdout += `${line}\n`));
  const error = jest
    .spyOn(console, 'error')
    .mockImplementation((line: string) => void (said.stderr += `${line}\n`));
  const environment = jest.replaceProperty(process, 'env', env);
  await runCommandLine(deadLetterCommands, { args, env });
  const status = Number(process.exitCode);
  process.exitCode = undefined;
  environment.restore();
  log.mockRestore();
  error.mockRestore();
  return { status, ...said };
}

/** The JSON output of a command. */
async function told(...args: string[]): Promise<{ letters: Told[]; missing?: string[] }> {
  const { stdout, stderr } = await run(...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as { letters: Told[]; missing?: string[] };
}

async function recordsOf(topic: string): Promise<IncomingRecord[]> {
  const found: IncomingRecord[] = [];
  await kafka.readToEnd({
    groupId: `test-${randomUUID()}`,
    topics: [topic],
    take: async (records) => void found.push(...records),
  });
  return found;
}

/** Publishes records that the service's own reader refuses, and waits until they are set aside; their keys. */
async function setAside(count: number, topic: Topic = topics.postings): Promise<string[]> {
  const keys = Array.from({ length: count }, () => randomUUID());
  await producer.send(
    keys.map((key) => ({
      topic: topic.name,
      key,
      value: SECRET,
      headers: {
        ce_type: 'Posting.CreatedV1',
        ce_id: key,
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      },
    })),
  );
  await readOnce(topic.name);
  return keys;
}

/** Lets a consumer with the service's own reader read the topic to its end. */
async function readOnce(topic: string): Promise<void> {
  const wanted = (await recordsOf(topic)).length;
  const consumers = startConsumers({
    kafka,
    groupId: 'test-dispatcher',
    topics: [
      {
        topic,
        parse: readEvent(Object.values(topics).find(({ name }) => name === topic)!),
        handleBatch: async () => {},
      },
    ],
    deadLetters: producer,
    logger,
  });
  await until(async () => (await lettersOf(topic)).length >= wanted, { what: 'the letters' });
  await consumers.close();
}

const lettersOf = async (topic: string): Promise<IncomingRecord[]> =>
  (await recordsOf(`${topic}.dlq`)).filter(({ headers }) => headers.dlq_error !== undefined);

describe('kontoport dead-letters', () => {
  it('lists what could not be read, why and whence, and nothing of what it holds', async () => {
    const [key] = await setAside(1, topics.consents);
    const { status, stdout } = await run('list', '--topic', 'consents');
    expect(status).toBe(0);
    const size = SECRET.length + key!.length;
    expect(stdout).toMatch(
      new RegExp(
        `^consents:0:0  \\S+Z  ${size} bytes from kontoport\\.consents\\.v1:\\d:0: ce_type is not of this topic\n1 to be looked after, 0 replayed\\.\n$`,
      ),
    );
    expect(stdout).not.toContain(key);
    const { letters } = await told('list', '--topic', 'consents');
    expect(letters).toEqual([
      {
        letter: 'consents:0:0',
        topic: 'kontoport.consents.v1.dlq',
        partition: 0,
        offset: '0',
        at: expect.stringMatching(/Z$/),
        reason: 'ce_type is not of this topic',
        origin: {
          topic: 'kontoport.consents.v1',
          partition: expect.any(Number),
          offset: '0',
          at: expect.stringMatching(/Z$/),
        },
        size,
      },
    ]);
    expect((await told('list', '--topic', 'transfers')).letters).toEqual([]);
  });

  it('shows key, headers and content only when it is asked to', async () => {
    const [key] = await setAside(1, topics.transfers);
    const { stdout } = await run('list', '--topic', 'transfers', '--show');
    expect(stdout).toContain(`  key: "${key}"\n`);
    expect(stdout).toContain(`  value: "${SECRET}"\n`);
    expect(stdout).toContain(`"ce_id":"${key}"`);
    await producer.send([
      {
        topic: `${topics.transfers.name}.dlq`,
        key: null,
        value: Buffer.from([0xff, 0x1b]),
        headers: { dlq_error: 'a \u001b[2J word', dlq_topic: topics.transfers.name },
      },
    ]);
    expect((await run('list', '--topic', 'transfers')).stdout).toContain(': a �[2J word\n');
    expect((await told('list', '--topic', 'transfers', '--show')).letters[1]).toMatchObject({
      key: null,
      valueBase64: '/xs=',
    });
  });

  it('replays them to where they came from, as they were, each once, and says what it did', async () => {
    const keys = await setAside(3);
    const before = await recordsOf(topics.postings.name);
    const { letters } = await told('list', '--topic', 'postings');
    expect(letters).toHaveLength(3);

    const dry = await told('replay', '--all', '--topic', 'postings', '--dry-run');
    expect(dry.letters.map(({ outcome }) => outcome)).toEqual(Array(3).fill('would be replayed'));
    expect(await recordsOf(topics.postings.name)).toHaveLength(3);

    const [one] = letters;
    const first = await run('replay', '--letter', one!.letter);
    expect(first.status).toBe(0);
    expect(first.stdout).toMatch(new RegExp(`^replayed: ${one!.letter} .*\n1 of 1 replayed\\.\n$`));
    expect((await told('list', '--topic', 'postings')).letters.map(({ letter }) => letter)).toEqual(
      letters.slice(1).map(({ letter }) => letter),
    );
    const all = await told('list', '--topic', 'postings', '--all');
    expect(all.letters.map((letter) => 'replayedAt' in letter)).toEqual([true, false, false]);

    expect((await run('replay', '--all', '--topic', 'postings')).stdout).toContain('2 of 2 replayed.');
    expect((await run('replay', '--all', '--topic', 'postings')).stdout).toBe('0 of 0 replayed.\n');
    const after = await recordsOf(topics.postings.name);
    const told3 = (records: readonly IncomingRecord[]) =>
      records
        .map(({ partition, key, value, headers }) => ({ partition, key, value, headers }))
        .toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1));
    const again = after.filter(
      (record) =>
        !before.some(({ partition, offset }) => partition === record.partition && offset === record.offset),
    );
    expect(again).toHaveLength(3);
    expect(told3(again)).toEqual(told3(before));
    expect(new Set(again.map(({ key }) => String(key)))).toEqual(new Set(keys));

    // Named, it is sent once more.
    expect((await run('replay', '--letter', one!.letter)).status).toBe(0);
    expect(await recordsOf(topics.postings.name)).toHaveLength(7);

    await readOnce(topics.postings.name);
    // A replayed record that is still unreadable becomes a new letter, and the next replay does not duplicate it.
    expect((await told('list', '--topic', 'postings')).letters).toHaveLength(4);
    expect((await run('replay', '--all', '--topic', 'postings')).stdout).toContain('4 of 4 replayed.');
  });

  it('leaves alone what is no letter of its topic', async () => {
    const topic = `${topics.consents.name}.dlq`;
    const { letters } = await told('list', '--topic', 'consents', '--all');
    await producer.send([
      { topic, key: null, value: 'x', headers: { dlq_error: 'x', dlq_topic: topics.postings.name } },
      { topic, key: null, value: 'x', headers: { dlq_error: 'x', dlq_topic: 'elsewhere' } },
      { topic, key: null, value: 'x', headers: {} },
      // No receipts: they hold something, or are letters themselves.
      { topic, key: null, value: 'x', headers: { dlq_replayed: '0:0' } },
      {
        topic,
        key: null,
        value: null,
        headers: { dlq_replayed: '0:0', dlq_error: 'x', dlq_topic: 'elsewhere' },
      },
    ]);
    expect((await told('list', '--topic', 'consents', '--all')).letters).toEqual(letters);
  });

  it('says so when a letter that is named is not there', async () => {
    const { status, stdout } = await run('replay', '--letter', 'consents:0:999');
    expect({ status, stdout }).toEqual({
      status: 1,
      stdout: 'is no letter, or none any more: consents:0:999\n0 of 0 replayed.\n',
    });
    expect((await told('replay', '--letter', 'consents:7:1')).missing).toEqual(['consents:7:1']);
  });

  it.each([
    [['replay'], /name letters with --letter, or say --all/],
    [['replay', '--letter', 'postings:0:1', '--topic', 'postings'], /--topic goes with --all/],
    [['replay', '--letter', 'others:0:1'], /"others:0:1" names no letter/],
  ])('refuses %j', async (args, said) => {
    const { status, stderr } = await run(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(said);
  });
});
