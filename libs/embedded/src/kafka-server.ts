import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Kafka, type KafkaAccess, openKafka } from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import type { KillableBroker } from './embedded-kafka.ts';
import { guardProcess } from './guard.ts';
import { fetchKafkaJars } from './kafka-jars.ts';
import { freePorts } from './port.ts';
import { until } from './wait.ts';

const execute = promisify(execFile);
const SETTINGS = join(import.meta.dirname, '../kafka');
/** Options for tests (little memory, quick start), and the options of Apache's start script for benches. */
const JAVA_OPTIONS = {
  quick: ['-Xms64m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
  standard: [
    '-Xms1g',
    '-Xmx1g',
    '-server',
    '-XX:+UseG1GC',
    '-XX:MaxGCPauseMillis=20',
    '-XX:InitiatingHeapOccupancyPercent=35',
    '-XX:+ExplicitGCInvokesConcurrent',
  ],
} as const;
const START_LIMIT_MS = 90_000;
const ATTEMPTS = 3;

/** The plan of a start. */
export interface KafkaPlan {
  /** Settings that add to or replace those of `server.properties`. */
  settings: Readonly<Record<string, string>>;
  /** User → password, created by the first start. */
  scramUsers?: Readonly<Record<string, string>>;
  /** Access with all rights. */
  access: KafkaAccess;
  /** The options of its virtual machine; default: quick. */
  java?: keyof typeof JAVA_OPTIONS;
}

/** A broker with access for all rights. */
export interface KafkaServer extends KillableBroker {
  access: KafkaAccess;
  /**
   * Starts again after `kill`, with a file size limit of `bytes` above the largest existing file. A broker that cannot
   * write ends; then `ended` resolves.
   */
  startWithRoom(bytes: number): Promise<{ ended: Promise<void> }>;
}

/** Ports of the broker: for services, for its controller, and one more for a second listener. */
export interface KafkaPorts {
  broker: number;
  controller: number;
  second: number;
}

/**
 * Starts a single-node Apache Kafka from Maven's jars; it ends with this process. The first start on a machine
 * downloads the jars (about 10 s), and the first stop writes a class-data archive that halves later starts.
 * @param options.folder keeps the data; default: a temporary folder
 * @param options.plan called for each attempt, because another process may take a free port
 */
export async function startKafkaServer(options: {
  folder?: string;
  plan: (ports: KafkaPorts, folder: string) => KafkaPlan;
}): Promise<KafkaServer> {
  const jars = await fetchKafkaJars();
  for (let attempt = 1; ; attempt++) {
    try {
      return await launch(jars, options);
    } catch (error) {
      if (attempt === ATTEMPTS || !String(error).includes('Address already in use')) throw error;
    }
  }
}

/** Makes a client for the setup. */
export function setupClient(access: KafkaAccess): Kafka {
  const logger = createLogger({ service: 'kafka-setup', level: 'silent' });
  return openKafka({ ...access, clientId: 'kafka-setup', logger });
}

async function launch(jars: string, options: Parameters<typeof startKafkaServer>[0]): Promise<KafkaServer> {
  const passing = options.folder === undefined;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'kontoport-kafka-'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [broker, controller, second] = (await freePorts(3)) as [number, number, number];
  const plan = options.plan({ broker, controller, second }, folder);
  const properties = join(folder, 'server.properties');
  const data = join(folder, 'data');
  const values: Record<string, string> = {
    PORT: String(broker),
    CONTROLLER_PORT: String(controller),
    DATA: data,
  };
  const standard = readFileSync(join(SETTINGS, 'server.properties'), 'utf8').replaceAll(
    /@(\w+)@/g,
    (_, name: string) => values[name]!,
  );
  const added = Object.entries(plan.settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(properties, `${standard}\n${added.join('')}`, { mode: 0o600 });

  const java = javaOf({ jars, folder, options: JAVA_OPTIONS[plan.java ?? 'quick'] });
  if (!existsSync(join(data, 'meta.properties')))
    try {
      const users = Object.entries(plan.scramUsers ?? {}).flatMap(([name, password]) => [
        '--add-scram',
        `SCRAM-SHA-512=[name=${name},password=${password}]`,
        '--add-scram',
        `SCRAM-SHA-256=[name=${name},password=${password}]`,
      ]);
      // The "=" is required: a random id may begin with "-".
      const id = `--cluster-id=${randomBytes(16).toString('base64url')}`;
      await execute(
        'java',
        java.arguments(['kafka.tools.StorageTool', 'format', id, '-c', properties, ...users]),
      );
    } catch (error) {
      rmSync(passing ? folder : data, { recursive: true, force: true });
      throw error;
    }
  const server = serverOf({ java, folder, passing, properties, port: broker, access: plan.access });
  await server.start();
  return { ...server, brokers: [...plan.access.brokers], access: plan.access };
}

interface Java {
  arguments(main: readonly string[]): string[];
  /** The arguments of a run that archives its classes. */
  archiving(main: readonly string[]): string[];
  keepArchive(): void;
}

function javaOf({
  jars,
  folder,
  options,
}: {
  jars: string;
  folder: string;
  options: readonly string[];
}): Java {
  const archive = { kept: `${jars}.jsa`, fresh: join(folder, 'new.jsa') };
  const having = (archiving: readonly string[], main: readonly string[]): string[] => [
    ...options,
    ...(existsSync(archive.kept) ? [`-XX:SharedArchiveFile=${archive.kept}`] : archiving),
    '-Xlog:disable',
    '-Xlog:all=error:stderr',
    `-Dlog4j2.configurationFile=${join(SETTINGS, 'log4j2.properties')}`,
    // The file with the keys of tokens.
    `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file://${join(folder, 'jwks.json')}`,
    '-cp',
    join(jars, '*'),
    ...main,
  ];
  return {
    arguments: (main) => having([], main),
    archiving: (main) => having([`-XX:ArchiveClassesAtExit=${archive.fresh}`], main),
    keepArchive() {
      if (!existsSync(archive.fresh) || existsSync(archive.kept)) return;
      const copy = `${archive.kept}.${process.pid}`;
      copyFileSync(archive.fresh, copy);
      renameSync(copy, archive.kept);
    },
  };
}

function serverOf(options: {
  java: Java;
  folder: string;
  passing: boolean;
  properties: string;
  port: number;
  access: KafkaAccess;
}): Omit<KafkaServer, 'brokers' | 'access'> {
  const { java, folder, passing, properties } = options;
  const log = join(folder, 'broker.log');
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
    java.keepArchive();
    if (passing) rmSync(folder, { recursive: true, force: true });
  };
  /** @param most how large a file may be, in blocks of 512 bytes */
  const start = async (most?: number): Promise<void> => {
    const output = openSync(log, 'a');
    const command = ['java', ...java.archiving(['kafka.Kafka', properties])];
    const limited =
      most === undefined ? command : ['sh', '-c', `ulimit -f ${most}; exec "$@"`, 'sh', ...command];
    server = spawn(limited[0]!, limited.slice(1), { stdio: ['ignore', output, output], detached: true });
    closeSync(output);
    guard = guardProcess({ pid: server.pid!, signal: 'KILL', ...(passing ? { remove: folder } : {}) });
    try {
      await untilUp(options.access, server);
    } catch (error) {
      const said = readFileSync(log, 'utf8').slice(-4_000);
      await stop('SIGKILL');
      throw new Error(`Apache Kafka did not start:\n${said}`, { cause: error });
    }
  };
  return {
    kill: () => end('SIGKILL'),
    stop: () => stop('SIGTERM'),
    start: () => start(),
    async startWithRoom(bytes) {
      const largest = Math.max(...filesOf(join(folder, 'data')).map((file) => statSync(file).size));
      await start(Math.ceil((largest + bytes) / 512));
      const gone = server.exitCode === null ? once(server, 'exit') : Promise.resolve();
      return { ended: gone.then(() => end('SIGKILL')) };
    },
  };
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

async function untilUp(access: KafkaAccess, server: ChildProcess): Promise<void> {
  const kafka = setupClient(access);
  await until(async () => (server.exitCode === null ? (await kafka.countBrokers()) === 1 : 'ended'), {
    timeout: START_LIMIT_MS,
    what: `Apache Kafka at ${access.brokers.join(', ')}`,
  });
  if (server.exitCode !== null) throw new Error(`Apache Kafka ended with ${server.exitCode}`);
}
