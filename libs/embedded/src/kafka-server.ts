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
/** Little memory and a quick start, for tests; and what Apache's own start script sets, for what is measured. */
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

/** What one start of a broker is made of. */
export interface KafkaPlan {
  /** Beside those of `server.properties`; what is said here wins. */
  settings: Readonly<Record<string, string>>;
  /** User → password, known from the first start on. */
  scramUsers?: Readonly<Record<string, string>>;
  /** How we reach it, as somebody who may do everything. */
  access: KafkaAccess;
  /** How its virtual machine is set up; default: quick. */
  java?: keyof typeof JAVA_OPTIONS;
}

/** Where a broker is, and how it is reached as somebody who may do everything. */
export interface KafkaServer extends KillableBroker {
  access: KafkaAccess;
  /**
   * Starts again after `kill`, with so little room that no file grows by more than `bytes` beyond the largest there is.
   * A broker that cannot write ends by itself; `ended` resolves then.
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
 * Starts a single-node Apache Kafka from Maven's jars, which ends with this process. The first start on a machine
 * fetches the jars (Maven, about 10 s), the first stop writes a class-data archive that halves later starts.
 * @param options.folder where the data is kept, and found again; default: a folder that goes with the broker
 * @param options.plan is made anew for each attempt: between finding a port free and binding it another may take it
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

/** A client of our own, for setting up. */
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
      // With "=": a random id may begin with "-".
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
  /** Those of the run whose classes are kept for later ones. */
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
    // Where a broker may fetch the keys of tokens.
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
