import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { fetchKafkaJars } from '@kontoport/embedded/kafka-jars';
import { type SecuredKafka, startSecuredKafka } from '@kontoport/embedded/secured-kafka';
import { until } from '@kontoport/embedded/wait';
import { createProducer, DEAD_LETTER_GROUP, type Kafka, type Topic, topics } from '@kontoport/events';
import { describeWithApacheKafka } from '@kontoport/testing/describe-with-apache-kafka';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';
import { collect, newTopic, upTo } from './parts.ts';
import { openFrom, startTokenEndpoint, type TokenEndpoint } from './secured-parts.ts';

const READER = 'webhook-dispatcher';
const WRITER = 'account-information';
const OPERATOR = 'operator';
const PAGE = join(import.meta.dirname, '../../../docs/operations/backing-services.md');
const { topic: foreign } = newTopic();
/** The other side hangs up, or waits for what never comes. */
const CUT_OFF = /clos|disconnect|reset|timeout|hang up|alert|EPIPE|wrong version|packet length/i;
/** The broker hides the coordinator of a group from a principal that may not read it. */
const REFUSED = /not authorized|authorization failed|Failed to find group coordinator/i;

let tls: TlsFolder;
let broker: SecuredKafka;
let tokens: TokenEndpoint;
const certificates = new Map<string, TlsFiles>();
const password = (name: string): string => `the password of ${name}`.replaceAll(' ', '-');

/** The commands of the page, as Apache Kafka's own program understands them. */
async function runCommandsOfThePage(): Promise<void> {
  const commands = readFileSync(PAGE, 'utf8').match(/^kafka-acls .*$/gm) ?? [];
  const admin = tls.write(
    'admin.properties',
    [
      'security.protocol=SASL_SSL',
      'sasl.mechanism=SCRAM-SHA-512',
      `sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="admin" password="${password('admin')}";`,
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${tls.ca}`,
    ].join('\n'),
  );
  const jars = await fetchKafkaJars();
  const given = commands.map((command) =>
    command
      .split(' ')
      .slice(1)
      .map((word) => (word === '"$BROKERS"' ? broker.brokers.join(',') : word))
      .map((word) => (word === 'admin.properties' ? admin : word)),
  );
  await Promise.all(
    given.map((args) =>
      promisify(execFile)('java', [
        '-XX:TieredStopAtLevel=1',
        '-XX:+UseSerialGC',
        '-cp',
        join(jars, '*'),
        'org.apache.kafka.tools.AclCommand',
        ...args,
      ]),
    ),
  );
}

/** The environment of a service that is `name` by that mechanism. */
function environment(name: string, mechanism: string): Record<string, string> {
  if (mechanism === 'certificate') {
    const { cert, key } = certificates.get(name)!;
    return {
      KAFKA_BROKERS: broker.certificateBrokers.join(','),
      KAFKA_TLS_CA: tls.ca,
      KAFKA_TLS_CERT: cert,
      KAFKA_TLS_KEY: key,
    };
  }
  const open = {
    KAFKA_BROKERS: broker.brokers.join(','),
    KAFKA_TLS_CA: tls.ca,
    KAFKA_SASL_MECHANISM: mechanism,
  };
  if (mechanism !== 'OAUTHBEARER')
    return { ...open, KAFKA_SASL_USERNAME: name, KAFKA_SASL_PASSWORD: password(name) };
  return {
    ...open,
    KAFKA_SASL_OAUTH_TOKEN_URL: tokens.url,
    KAFKA_SASL_OAUTH_CLIENT_ID: name,
    KAFKA_SASL_OAUTH_CLIENT_SECRET: 'a client secret',
  };
}
const open = (name: string, mechanism = 'SCRAM-SHA-512'): Kafka => openFrom(environment(name, mechanism));

async function send(kafka: Kafka, topic: Topic, ...positions: number[]): Promise<void> {
  const producer = createProducer({ kafka });
  try {
    await producer.send(
      positions.map((position) => ({
        topic: topic.name,
        key: 'k',
        value: JSON.stringify({ key: 'k', position }),
        headers: {},
      })),
    );
  } finally {
    await producer.close();
  }
}

/** Returns the error of an attempt to join the group, or `let in`. */
function joinGroup(kafka: Kafka, groupId: string, topic: Topic): Promise<string> {
  const closing = new AbortController();
  return new Promise((resolve) => {
    kafka
      .joinGroup({
        groupId,
        topics: [topic.name],
        sessionTimeoutMs: 6_000,
        take: async () => true,
        onMembership(joined) {
          if (!joined) return;
          resolve('let in');
          closing.abort();
        },
        closing: closing.signal,
      })
      .catch((error: unknown) => resolve((error as Error).message));
  });
}

describeWithApacheKafka(
  'an Apache Kafka with the access rules of docs/operations',
  () => {
    beforeAll(async () => {
      [tls, tokens] = await Promise.all([tlsFolder(), startTokenEndpoint()]);
      for (const name of [WRITER, READER, OPERATOR, 'stranger'])
        certificates.set(name, await tls.issue(name, 'client'));
      const names = ['admin', WRITER, READER, OPERATOR, 'stranger'];
      broker = await startSecuredKafka({
        ...(await tls.issue('broker', { server: ['127.0.0.1'] })),
        ca: tls.ca,
        users: {
          admin: password('admin'),
          ...Object.fromEntries(names.map((name) => [name, password(name)])),
        },
        topics: [...Object.values(topics), foreign],
        access: [],
        certificates: true,
        tokens: tokens.trusted,
      });
      await runCommandsOfThePage();
    }, 180_000);

    afterAll(async () => {
      await broker?.stop();
      await tokens?.close();
      tls?.remove();
    });

    it.each(['SCRAM-SHA-512', 'SCRAM-SHA-256', 'PLAIN', 'OAUTHBEARER', 'certificate'])(
      'lets the services write, read and write dead letters, by %s',
      async (mechanism) => {
        const first = Date.now();
        const received = collect(broker.brokers, topics.postings, {
          kafka: open(READER, mechanism),
          groupId: READER,
          deadLetters: createProducer({ kafka: open(READER, mechanism) }),
        });
        await send(open(WRITER, mechanism), topics.postings, first, first + 1);
        await until(() => received.positions.get('k')?.includes(first + 1), { what: 'the records' });
        expect(received.positions.get('k')?.slice(-2)).toEqual([first, first + 1]);
        await expect(send(open(READER, mechanism), topics.postingsDeadLetters, 0)).resolves.toBeUndefined();
        await received.close();
      },
    );

    it('lets the operator read dead letters, write receipts, and write to their origin', async () => {
      const lettersOf = async (kafka: Kafka): Promise<string[]> => {
        const found: string[] = [];
        await kafka.readToEnd({
          groupId: DEAD_LETTER_GROUP,
          topics: [topics.consentsDeadLetters.name],
          take: async (records) => void found.push(...records.map(({ value }) => String(value))),
        });
        return found;
      };
      const operator = open(OPERATOR);
      expect(await lettersOf(operator)).toEqual([]);
      await send(open(READER), topics.consentsDeadLetters, 1, 2);
      const sent = [1, 2].map((position) => JSON.stringify({ key: 'k', position }));
      expect(await lettersOf(operator)).toEqual(sent);
      await send(operator, topics.consentsDeadLetters, 3);
      await send(operator, topics.consents, 1);
      expect(await lettersOf(operator)).toHaveLength(3);
      await expect(lettersOf(open(READER))).rejects.toThrow(REFUSED);
      await expect(lettersOf(open('stranger'))).rejects.toThrow(/not authorized|authorization/i);
    });

    it('lets no principal write to a topic that is not for it to write', async () => {
      await expect(send(open(READER), topics.postings, 0)).rejects.toThrow(/not authorized/i);
      await expect(send(open(WRITER), topics.postingsDeadLetters, 0)).rejects.toThrow(/not authorized/i);
      await expect(send(open(WRITER), foreign, 0)).rejects.toThrow(/not authorized/i);
      await expect(send(open(WRITER), topics.audit, 0)).resolves.toBeUndefined();
      await expect(send(open(READER), topics.audit, 0)).rejects.toThrow(/not authorized/i);
      await expect(send(open(OPERATOR), topics.audit, 0)).rejects.toThrow(/not authorized/i);
      await expect(send(open('stranger'), topics.postings, 0)).rejects.toThrow(
        /not authorized|authorization/i,
      );
    });

    it('lets no principal read a topic, or take the place in a group, that is not its own', async () => {
      expect(await joinGroup(open(READER), READER, topics.postings)).toBe('let in');
      expect(await joinGroup(open(READER), READER, foreign)).toMatch(REFUSED);
      expect(await joinGroup(open(READER), READER, topics.audit)).toMatch(REFUSED);
      expect(await joinGroup(open(WRITER), READER, topics.postings)).toMatch(REFUSED);
      expect(await joinGroup(open(READER), 'another-group', topics.postings)).toMatch(REFUSED);
      expect(await joinGroup(open('stranger'), READER, topics.postings)).toMatch(REFUSED);
      expect(await open('stranger').listTopics()).toEqual([]);
    });

    it('lets a principal read the offsets of its own group only', async () => {
      const reading = { groupId: READER, topics: [topics.postings.name] };
      const seen = await open(READER).offsetsOf(reading);
      expect(seen).toHaveLength(topics.postings.partitions);
      await expect(open(WRITER).offsetsOf(reading)).rejects.toThrow(REFUSED);
    });

    it('refuses a client without credentials', async () => {
      const env = environment(WRITER, 'SCRAM-SHA-512');
      const { KAFKA_TLS_CA: ca, KAFKA_BROKERS: brokers } = env as {
        KAFKA_TLS_CA: string;
        KAFKA_BROKERS: string;
      };
      await expect(openFrom({ ...env, KAFKA_SASL_PASSWORD: 'wrong' }).countBrokers()).rejects.toThrow(
        /authentication failed/i,
      );
      await expect(openFrom({ KAFKA_TLS_CA: ca, KAFKA_BROKERS: brokers }).countBrokers()).rejects.toThrow(
        CUT_OFF,
      );
      await expect(openFrom({ KAFKA_BROKERS: brokers }).countBrokers()).rejects.toThrow(CUT_OFF);
      await expect(
        openFrom({ KAFKA_TLS_CA: ca, KAFKA_BROKERS: broker.certificateBrokers.join(',') }).countBrokers(),
      ).rejects.toThrow(CUT_OFF);
    });

    it('is not used with a certificate of another CA or name, or without TLS', async () => {
      const env = environment(WRITER, 'SCRAM-SHA-512');
      const stranger = await tlsFolder();
      await expect(openFrom({ ...env, KAFKA_TLS_CA: stranger.ca }).countBrokers()).rejects.toThrow(
        /self-signed|unable to (verify|get)/,
      );
      stranger.remove();
      const elsewhere = env.KAFKA_BROKERS!.replace('127.0.0.1', 'localhost');
      await expect(openFrom({ ...env, KAFKA_BROKERS: elsewhere }).countBrokers()).rejects.toThrow(
        /does not match certificate's altnames/,
      );
      const plaintext = await startEmbeddedKafka([]);
      await expect(
        openFrom({ ...env, KAFKA_BROKERS: plaintext.brokers.join(',') }).countBrokers(),
      ).rejects.toThrow(CUT_OFF);
      await plaintext.stop();
    });

    it('gets the current password and certificate of the files at each connection', async () => {
      const { KAFKA_SASL_PASSWORD: _given, ...rest } = environment(WRITER, 'SCRAM-SHA-512');
      const file = tls.write('password', 'wrong');
      const byPassword = openFrom({ ...rest, KAFKA_SASL_PASSWORD_FILE: file });
      await expect(byPassword.countBrokers()).rejects.toThrow(/authentication failed/i);
      tls.write('password', `${password(WRITER)}\n`);
      expect(await byPassword.countBrokers()).toBe(1);

      const { cert, key } = await tls.issue('changing', 'client');
      const byCertificate = openFrom({
        ...environment(READER, 'certificate'),
        KAFKA_TLS_CERT: cert,
        KAFKA_TLS_KEY: key,
      });
      expect(await byCertificate.listTopics()).toEqual([]);
      const reader = certificates.get(READER)!;
      tls.write('changing.pem', readFileSync(reader.cert, 'utf8'));
      // Half a replacement: the old pair is shown.
      expect(await byCertificate.listTopics()).toEqual([]);
      tls.write('changing-key.pem', readFileSync(reader.key, 'utf8'));
      expect((await byCertificate.listTopics()).toSorted()).toEqual(
        Object.values(topics)
          .filter((topic) => topic !== topics.audit)
          .map(({ name }) => name)
          .toSorted(),
      );
    });

    it('gets a fresh token before the old one expires, without a delay of records', async () => {
      tokens.lifetimeSeconds = 6.5;
      const { postings: topic } = topics;
      const first = Date.now();
      const received = collect(broker.brokers, topic, {
        kafka: open(READER, 'OAUTHBEARER'),
        groupId: READER,
        deadLetters: createProducer({ kafka: open(READER, 'OAUTHBEARER') }),
      });
      await until(() => received.consumer.groupReady() === undefined, { what: 'the group' });
      const before = tokens.given;
      const producer = createProducer({ kafka: open(WRITER, 'OAUTHBEARER') });
      let sent = 0;
      await until(
        async () => {
          const position = first + sent++;
          await producer.send([
            { topic: topic.name, key: 'k', value: JSON.stringify({ key: 'k', position }), headers: {} },
          ]);
          return tokens.given >= before + 6;
        },
        { what: 'the sixth token' },
      );
      await until(() => received.positions.get('k')?.at(-1) === first + sent - 1, {
        what: 'the last record',
      });
      const ours = received.positions.get('k')!.filter((position) => position >= first);
      expect(ours).toEqual(upTo(sent).map((at) => first + at));
      await producer.close();
      await received.close();
    });
  },
  { killable: true },
);
