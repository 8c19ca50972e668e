import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ensureTopics, type Kafka, openKafka, type Topic } from '@kontoport/events';
import { createLogger } from '@kontoport/runtime';
import type { Broker, KillableBroker } from './embedded-kafka.ts';
import { guardProcess } from './guard.ts';
import { freePort } from './port.ts';
import { until } from './wait.ts';

const execute = promisify(execFile);
const SETTINGS = join(import.meta.dirname, '../kafka');
const CACHE = join(import.meta.dirname, '../../../.local/kafka');
const POM = join(SETTINGS, 'pom.xml');
const MEMORY_AND_START = ['-Xms64m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const START_LIMIT_MS = 90_000;
const ATTEMPTS = 3;

/** Whether a real Apache Kafka can be used here: `KAFKA_BROKERS`, or Java with the jars or with Maven to get them. */
export function apacheKafkaAvailable(): boolean {
  return Boolean(process.env.KAFKA_BROKERS) || ownBrokerAvailable();
}

/** Whether `startKillableKafka` can work here: Java with the jars or with Maven to get them. */
export function ownBrokerAvailable(): boolean {
  return onPath('java') && (existsSync(jarFolder()) || onPath('mvn'));
}

/** The broker of `KAFKA_BROKERS`, else one of our own; the topics exist afterwards. */
export async function startApacheKafka(topics: readonly Topic[]): Promise<Broker> {
  if (!process.env.KAFKA_BROKERS) return startKillableKafka(topics);
  const brokers = process.env.KAFKA_BROKERS.split(',');
  await makeTopics(brokers, topics);
  return { brokers, stop: async () => {} };
}

/**
 * A single-node Apache Kafka from Maven's jars, on the loopback address; it ends with this process. The first start on
 * a machine fetches the jars (Maven, about 10 s), the first stop writes a class-data archive that halves later starts.
 */
export async function startKillableKafka(topics: readonly Topic[]): Promise<KillableBroker> {
  const jars = await fetchKafkaJars();
  for (let attempt = 1; ; attempt++) {
    try {
      const broker = await launch(jars);
      await makeTopics(broker.brokers, topics);
      return broker;
    } catch (error) {
      // Between finding a port free and binding it another process may take it.
      if (attempt === ATTEMPTS || !String(error).includes('Address already in use')) throw error;
    }
  }
}

/** The folder with Kafka's jars, fetched with Maven when absent. */
export async function fetchKafkaJars(): Promise<string> {
  const folder = jarFolder();
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(`${folder}.`);
  try {
    await execute(
      'mvn',
      [
        '-q',
        '-B',
        '-Dstyle.color=never',
        '-f',
        POM,
        'dependency:copy-dependencies',
        '-DincludeScope=runtime',
        `-DoutputDirectory=${unfinished}`,
      ],
      { maxBuffer: 1 << 26 },
    );
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have been first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

async function launch(jars: string): Promise<KillableBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-kafka-'));
  const [port, controllerPort] = [await freePort(), await freePort()];
  const properties = join(folder, 'server.properties');
  const log = join(folder, 'broker.log');
  const archive = { kept: `${jars}.jsa`, fresh: join(folder, 'new.jsa') };
  const values: Record<string, string> = {
    PORT: String(port),
    CONTROLLER_PORT: String(controllerPort),
    DATA: join(folder, 'data'),
  };
  writeFileSync(
    properties,
    readFileSync(join(SETTINGS, 'server.properties'), 'utf8').replaceAll(
      /@(\w+)@/g,
      (_, name) => values[name]!,
    ),
  );
  const java = (main: string[], archiving: boolean): string[] => [
    ...MEMORY_AND_START,
    ...(existsSync(archive.kept)
      ? [`-XX:SharedArchiveFile=${archive.kept}`]
      : archiving
        ? [`-XX:ArchiveClassesAtExit=${archive.fresh}`]
        : []),
    '-Xlog:disable',
    '-Xlog:all=error:stderr',
    `-Dlog4j2.configurationFile=${join(SETTINGS, 'log4j2.properties')}`,
    '-cp',
    join(jars, '*'),
    ...main,
  ];
  let server: ChildProcess;
  let guard: { release(): void } | undefined;

  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) {
      const gone = once(server, 'exit');
      server.kill(signal);
      await gone;
    }
    guard?.release();
  };
  const stop = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    await end(signal);
    if (existsSync(archive.fresh) && !existsSync(archive.kept)) {
      const copy = `${archive.kept}.${process.pid}`;
      copyFileSync(archive.fresh, copy);
      renameSync(copy, archive.kept);
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (): Promise<void> => {
    const output = openSync(log, 'a');
    server = spawn('java', java(['kafka.Kafka', properties], true), {
      stdio: ['ignore', output, output],
      detached: true,
    });
    closeSync(output);
    guard = guardProcess({ pid: server.pid!, signal: 'KILL', remove: folder });
    try {
      await untilUp(port, server);
    } catch (error) {
      const said = readFileSync(log, 'utf8').slice(-4_000);
      await stop('SIGKILL');
      throw new Error(`Apache Kafka did not start:\n${said}`, { cause: error });
    }
  };

  // With "=": a random id may begin with "-".
  const clusterId = `--cluster-id=${randomBytes(16).toString('base64url')}`;
  const format = ['kafka.tools.StorageTool', 'format', '--standalone', clusterId, '-c', properties];
  try {
    await execute('java', java(format, false));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  await start();
  return { brokers: [`127.0.0.1:${port}`], start, kill: () => end('SIGKILL'), stop: () => stop('SIGTERM') };
}

async function untilUp(port: number, server: ChildProcess): Promise<void> {
  const kafka = client([`127.0.0.1:${port}`]);
  await until(async () => (server.exitCode === null ? (await kafka.countBrokers()) === 1 : 'ended'), {
    timeout: START_LIMIT_MS,
    what: `Apache Kafka on port ${port}`,
  });
  if (server.exitCode !== null) throw new Error(`Apache Kafka ended with ${server.exitCode}`);
}

async function makeTopics(brokers: readonly string[], topics: readonly Topic[]): Promise<void> {
  await ensureTopics(client(brokers), topics);
}

function client(brokers: readonly string[]): Kafka {
  return openKafka({
    brokers,
    clientId: 'test-setup',
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
}

function jarFolder(): string {
  return join(CACHE, `jars-${createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 12)}`);
}

function onPath(command: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
