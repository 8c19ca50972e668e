// PostgreSQL and Apache Kafka of tests in containers: the default if a container engine answers and has their images.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureTopics, type Topic } from '@kontoport/events';
import pg from 'pg';
import type { StartedTestContainer } from 'testcontainers';
import type { Broker } from './embedded-kafka.ts';
import type { PostgresServer } from './embedded-postgres.ts';
import { setupClient } from './kafka-server.ts';
import { freePort } from './port.ts';
import { until } from './wait.ts';

const HOST = '127.0.0.1';
const SETTINGS = join(import.meta.dirname, '../kafka/server.properties');
const START_LIMIT_MS = 120_000;
/** PostgreSQL without durable writes, as in all tests. */
const CARELESS = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];

/** A broker in a container is not killed, so it needs no short session. */
const QUICK_DEATH = /^broker\./;

const postgresImage = (): string => process.env.POSTGRES_IMAGE || 'postgres:18';
const kafkaImage = (): string => process.env.KAFKA_IMAGE || 'apache/kafka:4.3.1';

/** Whether tests use containers, after `chooseTestParts`. */
export const inContainers = (): boolean => process.env.TEST_CONTAINERS === 'true';

/**
 * Decides whether the tests of this process and its children use containers, and sets TEST_CONTAINERS accordingly. An
 * existing value decides.
 * @returns a line that names the parts and the reason
 */
export async function chooseTestParts(): Promise<string> {
  const { TEST_CONTAINERS: given } = process.env;
  const missing =
    given === 'true' || given === 'false'
      ? given === 'false' && 'TEST_CONTAINERS is false'
      : await missingForContainers();
  process.env.TEST_CONTAINERS = String(!missing);
  return missing
    ? `Tests use the embedded PostgreSQL and, with Java, an Apache Kafka of their own: ${missing}.`
    : `Tests use PostgreSQL (${postgresImage()}) and Apache Kafka (${kafkaImage()}) in containers.`;
}

/** The reason against containers; undefined if they can be used. */
async function missingForContainers(): Promise<string | undefined> {
  const { getContainerRuntimeClient, getReaper, ImageName } = await testcontainers();
  const client = await getContainerRuntimeClient().catch(() => undefined);
  if (client === undefined) return 'no container engine answers';
  for (const image of [postgresImage(), kafkaImage()]) {
    const name = ImageName.fromString(image);
    await client.image.pull(name).catch(() => {});
    const isThere = await client.image.exists(name).catch(() => false);
    if (!isThere) return `the image ${image} is neither present nor can it be pulled`;
  }
  const isReaping = await getReaper(client).then(
    () => true,
    () => false,
  );
  return isReaping ? undefined : 'the reaper of testcontainers does not start (TESTCONTAINERS_RYUK_DISABLED)';
}

/** Loads testcontainers. It finds published ports on this machine, also from within a container. */
function testcontainers(): Promise<typeof import('testcontainers')> {
  process.env.TESTCONTAINERS_HOST_OVERRIDE ??= HOST;
  return import('testcontainers');
}

interface Parts {
  image: string;
  environment: Record<string, string>;
  command?: string[];
  /** The ports in the container and on this machine; a number is a container port with any port on this machine. */
  port: number | { container: number; host: number };
}

interface Started {
  /** On this machine. */
  port: number;
  stop(): Promise<void>;
}

/**
 * Starts a container on a network of its own that publishes on the loopback address alone. Other networks would open
 * the machine, or may be absent.
 */
async function startContainer({ image, environment, command, port }: Parts): Promise<Started> {
  const { GenericContainer, getContainerRuntimeClient } = await testcontainers();
  const { dockerode } = (await getContainerRuntimeClient()).container;
  const name = `kontoport-${randomUUID()}`;
  const network = await dockerode.createNetwork({
    Name: name,
    Options: { 'com.docker.network.bridge.host_binding_ipv4': HOST },
  });
  const inside = typeof port === 'number' ? port : port.container;
  let container: StartedTestContainer;
  try {
    const wanted = new GenericContainer(image)
      .withNetworkMode(name)
      .withEnvironment(environment)
      .withExposedPorts(port)
      .withStartupTimeout(START_LIMIT_MS);
    container = await (command === undefined ? wanted : wanted.withCommand(command)).start();
  } catch (error) {
    await network.remove();
    throw error;
  }
  return {
    port: container.getMappedPort(inside),
    async stop() {
      await container.stop();
      await network.remove();
    },
  };
}

/** The PostgreSQL of `POSTGRES_IMAGE` (default `postgres:18`). */
export async function startPostgresContainer(): Promise<PostgresServer> {
  const { port, stop } = await startContainer({
    image: postgresImage(),
    environment: {
      POSTGRES_PASSWORD: 'postgres',
      POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C --no-sync',
    },
    command: [
      'postgres',
      ...['max_connections=200', 'timezone=UTC', ...CARELESS].flatMap((one) => ['-c', one]),
    ],
    port: 5432,
  });
  const url = `postgres://postgres:postgres@${HOST}:${port}/`;
  // During initialization it listens on a socket inside the container only.
  await until(() => canConnect(`${url}postgres`), {
    timeout: START_LIMIT_MS,
    what: 'PostgreSQL in its container',
  });
  return { url, stop };
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  await client.end();
  return true;
}

/** The Apache Kafka of `KAFKA_IMAGE` (default `apache/kafka:4.3.1`), one node with the settings of the tests' own; the topics exist afterwards. */
export async function startKafkaContainer(topics: readonly Topic[]): Promise<Broker> {
  const host = await freePort();
  const { stop } = await startContainer({
    image: kafkaImage(),
    environment: kafkaEnvironment(host),
    port: { container: 9092, host },
  });
  const brokers = [`${HOST}:${host}`];
  const client = setupClient({ brokers });
  await until(async () => (await client.countBrokers()) === 1, {
    timeout: START_LIMIT_MS,
    what: 'Apache Kafka in its container',
  });
  await ensureTopics(client, topics);
  return { brokers, stop };
}

/** The settings as variables of the image: `log.dirs` is `KAFKA_LOG_DIRS`. */
function kafkaEnvironment(port: number): Record<string, string> {
  const values: Record<string, string> = { PORT: '9092', CONTROLLER_PORT: '9093', DATA: '/tmp/kafka' };
  const settings = readFileSync(SETTINGS, 'utf8')
    .replaceAll(/@(\w+)@/g, (_, name: string) => values[name]!)
    .split('\n')
    .filter((line) => /^[a-z]/.test(line) && !QUICK_DEATH.test(line))
    .map((line) => line.split(/=(.*)/s) as [string, string]);
  return {
    ...Object.fromEntries(
      settings.map(([name, value]) => [`KAFKA_${name.replaceAll('.', '_').toUpperCase()}`, value]),
    ),
    KAFKA_LISTENERS: 'PLAINTEXT://0.0.0.0:9092,CONTROLLER://127.0.0.1:9093',
    KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${HOST}:${port}`,
  };
}
