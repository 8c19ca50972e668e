// The whole sandbox on one machine, started in the order of its dependencies and stopped in reverse.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from '@kontoport/command';
import { bundleArguments, serviceArguments } from '@kontoport/embedded/node-process';
import { untilReady } from '@kontoport/embedded/until-ready';
import { ensureSandboxCa } from '@kontoport/issuing';
import type { Lifecycle } from '@kontoport/lifecycle';
import { openApacheKafka, requireApacheKafka } from './apache-kafka.ts';
import { deployDatabases, openBroker, openPostgres } from './backing-services.ts';
import { openBalancer } from './balancer.ts';
import { bankAddress, bankEnvironment, bankPages } from './bank.ts';
import { keepIntermediates, openEdge, proxyNeeds } from './edge.ts';
import { makeInternalCertificates } from './internal-certificates.ts';
import { assignPorts, type StackPorts } from './ports.ts';
import type { Progress } from './progress.ts';
import { restartEnded } from './restart.ts';
import { openResponder } from './revocation.ts';
import { ensureEdgeSecret, ensureSecrets, newSecret, readSecrets } from './secrets.ts';
import { serviceEnvironments } from './service-environment.ts';
import { perService, type ServiceName, SERVICES } from './services.ts';
import {
  removeStackFile,
  replaceServices,
  type StackFile,
  stackFilePath,
  writeStackFile,
} from './stack-file.ts';
import type { EdgeAddress, StartArguments } from './start-arguments.ts';
import { type Death, ServiceDied, supervise, type Supervised } from './supervise.ts';

const READY_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;

export interface StackOptions {
  /** The repository's folder. */
  root: string;
  /** Absolute path of the data folder; it exists. */
  data: string;
  ports: Record<EdgeAddress, number>;
  kafka: StartArguments['kafka'];
  environment: StartArguments['environment'];
  edge: StartArguments['edge'];
  replicas: StartArguments['replicas'];
  bundles: StartArguments['bundles'];
  env: NodeJS.ProcessEnv;
  progress: Progress;
  /** Fires when the user stops the stack while it starts. */
  signal: AbortSignal;
  /** Closes everything that was opened, also when the start fails. */
  lifecycle: Lifecycle;
}

/** A stack that is ready. */
export interface Stack {
  /** Absolute path of stack.json. */
  file: string;
  content: StackFile;
  /** Folder of the services' logs. */
  logs: string;
  /** Resolves when a process ends unexpectedly. */
  died: Promise<Death>;
}

/** A process of the stack. */
interface StackProcess {
  name: string;
  /** Its number, from 1, if there are several. They share a log. */
  replica?: number;
  /** Arguments for Node. */
  args: readonly string[];
  /** Makes the environment of a start: a restarted process has the secrets of that moment. */
  env: () => Record<string, string>;
  opsPort: number;
}

/** Starts processes side by side and waits until all are ready. @throws ServiceDied when one ends instead */
async function startProcesses(
  options: StackOptions & {
    logs: string;
    /** Restarts what ends, and receives the processes after each restart. Absent: nothing restarts. */
    onRestart?: (running: readonly Supervised[]) => void;
  },
  processes: readonly StackProcess[],
): Promise<Supervised[]> {
  const { progress, root, data, lifecycle, logs } = options;
  const running: Supervised[] = [];
  const closing = new AbortController();
  lifecycle.own('services', {
    close: async () => {
      closing.abort();
      await Promise.all(running.map((each) => each.stop(STOP_LIMIT_MS)));
    },
  });
  const start = (each: StackProcess): Supervised => {
    const logFile = join(logs, `${each.name}.log`);
    return supervise({
      ...each,
      env: each.env(),
      name: labelOf(each),
      cwd: root,
      logFile,
      orphanedFile: stackFilePath(data),
    });
  };
  for (const { name } of processes) rmSync(join(logs, `${name}.log`), { force: true });
  for (const each of processes) running.push(start(each));
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  for (const { died } of running) void died.then((death) => failed.abort(new ServiceDied(death)));
  await progress.step(processes.map(labelOf).join(', '), () =>
    allSettled(
      processes.map((each) =>
        untilReady({ name: labelOf(each), opsPort: each.opsPort, limitMs: READY_LIMIT_MS, signal }),
      ),
    ),
  );
  if (options.onRestart !== undefined)
    for (const [at, each] of processes.entries())
      void restartEnded({
        first: running[at]!,
        start: () => start(each),
        signal: closing.signal,
        onDeath: ({ name, how, logFile }, pauseMs) =>
          progress.line(
            `${name} ${how}. It starts again in ${pauseMs / 1_000} s. Its log: ${shown(logFile)}`,
          ),
        onStart: (started) => {
          running[at] = started;
          options.onRestart!(running);
        },
      });
  return running;
}

const labelOf = ({ name, replica }: StackProcess): string =>
  replica === undefined ? name : `${name}-${replica}`;

/** Waits for all, so that nothing runs on after a failure, and then throws the first failure. */
async function allSettled<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as { [K in keyof T]: Awaited<T[K]> };
}

/** Makes the certificates, and starts the migrated databases and the broker together. */
async function openSurroundings(
  options: StackOptions & {
    folder: string;
    trustAnchors: string;
    responder: string;
  },
) {
  const { root, data, env, progress, lifecycle } = options;
  const ca = await progress.step('Certificates', async (note) => {
    const made = await ensureSandboxCa({ ...options, at: new Date() });
    if (made.renewed.length > 0) note(`new: ${made.renewed.join(', ')}`);
    return made;
  });
  const postgres = lifecycle.ownOpening('PostgreSQL', openPostgres({ data, env }));
  const broker = lifecycle.ownOpening(
    'Kafka',
    options.kafka === 'apache' ? openApacheKafka({ data, ca }) : openBroker({ data, env }),
  );
  const [databases, kafka] = await allSettled([
    progress.step('PostgreSQL', async (note) => {
      const opened = await postgres;
      const { description } = opened;
      note(`${description}, migrating`);
      const urls = await deployDatabases({
        root,
        postgres: opened,
        production: options.environment === 'production',
      });
      note(description);
      return urls;
    }),
    progress.step('Kafka', async (note) => {
      const opened = await broker;
      note(opened.description);
      return opened;
    }),
  ]);
  return { ca, databases, kafka, postgres: await postgres };
}

/** Carries the listeners of each service that has several replicas. */
async function openBalancers({ services, replicas }: StackPorts, lifecycle: Lifecycle): Promise<void> {
  for (const name of SERVICES.filter((service) => replicas[service].length > 1))
    for (const listener of ['http', 'grpc', 'user'] as const)
      await lifecycle.ownOpening(
        `balancer of ${name}`,
        openBalancer(
          services[name][listener],
          replicas[name].map((ports) => ({ port: ports[listener], ops: ports.ops })),
        ),
      );
}

/** Returns the processes of a service, each on ports of its own. */
function replicasOf(
  name: ServiceName,
  options: { ports: StackPorts; bundles: string | undefined; env: () => Record<string, string> },
): (StackProcess & { service: ServiceName })[] {
  const { ports, bundles } = options;
  const args = bundles === undefined ? serviceArguments(name) : bundleArguments(name, bundles);
  const all = ports.replicas[name];
  return all.map(({ http, grpc, ops, user }, at) => ({
    service: name,
    name,
    ...(all.length > 1 && { replica: at + 1 }),
    args,
    env: () => {
      const env = options.env();
      return {
        ...env,
        HTTP_PORT: String(http),
        OPS_PORT: String(ops),
        ...(env.GRPC_PORT !== undefined && { GRPC_PORT: String(grpc) }),
        ...(env.USER_PORT !== undefined && { USER_PORT: String(user) }),
        // The first replica has no ready one to ask.
        ...(name === 'registration' && { REGISTRATION_GRPC: `127.0.0.1:${grpc}` }),
      };
    },
    opsPort: ops,
  }));
}

/** Starts the replicas of all services. @returns each process, and what stack.json says of them */
async function startServices(
  options: StackOptions & {
    logs: string;
    assigned: StackPorts;
    /** Makes the environments of all services, with the secrets of that moment. */
    environments: () => Record<ServiceName, Record<string, string>>;
  },
) {
  const { data, bundles, replicas, lifecycle, assigned, environments } = options;
  await openBalancers(assigned, lifecycle);
  const processes = SERVICES.flatMap((name) =>
    replicasOf(name, { ports: assigned, bundles, env: () => environments()[name] }),
  );
  const located = (running: readonly Supervised[]): StackFile['services'] =>
    processes.map(({ service, replica, opsPort }, at) => ({
      name: service,
      ...(replica !== undefined && { replica }),
      pid: running[at]!.pid,
      ops: `http://127.0.0.1:${opsPort}`,
      grpc: `127.0.0.1:${assigned.services[service].grpc}`,
    }));
  const onRestart = (running: readonly Supervised[]): void => void replaceServices(data, located(running));
  const running = await startProcesses({ ...options, ...(replicas > 1 && { onRestart }) }, processes);
  return { running, located: located(running) };
}

/**
 * Starts everything and publishes stack.json.
 * @throws Error with a message for the user; ServiceDied with the last lines of its log
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { data, env, signal, lifecycle } = options;
  if (options.kafka === 'apache') requireApacheKafka();
  const logs = join(data, 'logs');
  const [folder, trustAnchors] = [join(data, 'ca'), join(data, 'trust-anchors')];
  mkdirSync(logs, { recursive: true });
  // Before the others choose their ports: the responder keeps the port of the earlier run.
  const { origin: responder } = await openResponder({ ...options, ca: folder });
  const isProduction = options.environment === 'production';
  const assigned = await assignPorts(
    options.ports,
    // The sandbox keeps payments in the memory of one process.
    perService((name) => (name === 'payments' && !isProduction ? 1 : options.replicas)),
  );
  const secretsFile = join(data, 'secrets.json');
  await ensureSecrets(secretsFile);
  const secretFile = join(data, 'edge-secret');
  const edgeSecret = options.edge === 'own' ? newSecret() : await ensureEdgeSecret(secretFile);
  // The sandbox sends nothing off the machine, and should start quickly.
  const inside = isProduction ? await makeInternalCertificates(join(data, 'internal-tls')) : undefined;
  const edgeTls = inside?.('edge');
  const around = await openSurroundings({ ...options, folder, trustAnchors, responder });
  const { ca, databases, kafka } = around;
  signal.throwIfAborted();

  const intermediates = options.edge === 'none' ? keepIntermediates(data, ca) : undefined;
  const url = (address: EdgeAddress): string => `https://localhost:${assigned.addresses[address]}`;
  const publicUrls = [url('base'), url('registration'), url('auth'), url('user')].join(',');
  const environments = () =>
    serviceEnvironments(
      {
        environment: options.environment,
        ...(isProduction ? { bank: bankAddress(assigned) } : {}),
        ports: assigned.services,
        databases,
        databaseTls: around.postgres.environment,
        kafka: (service) => kafka.environment(service),
        trustAnchors,
        publicUrls,
        authUrl: url('auth'),
        userUrl: url('user'),
        secrets: readSecrets(secretsFile),
        edgeSecret,
        inside,
      },
      { INTERMEDIATES: intermediates, ...env },
    );
  const services = await startServices({ ...options, logs, assigned, environments });
  // Its accounts go to account-information.
  const bank = {
    name: 'bank',
    args: ['--disable-warning=ExperimentalWarning', join(options.root, 'scripts/dev/bank/src/main.ts')],
    env: () => bankEnvironment({ data, ports: assigned, userUrl: url('user'), inside, env }),
    opsPort: assigned.bank.ops,
  };
  const banks = isProduction ? await startProcesses({ ...options, logs }, [bank]) : [];
  if (options.edge === 'own') await openEdge({ ports: assigned, ca, edgeSecret, inside: edgeTls, lifecycle });

  const content: StackFile = {
    baseUrl: url('base'),
    registrationUrl: url('registration'),
    authUrl: url('auth'),
    userUrl: url('user'),
    serverCa: ca.root.certificate,
    trustAnchors,
    services: services.located,
    ...(env.DATABASE_URL === undefined && { databases }),
    ...(options.edge === 'none' && {
      proxy: proxyNeeds({ ports: assigned, ca, secretFile, inside: edgeTls, env }),
    }),
    ...(banks[0] && { bank: { pid: banks[0].pid, pages: bankPages(assigned) } }),
    issuingCa: ca.issuingCa,
  };
  const file = await writeStackFile(data, content);
  lifecycle.own('stack.json', { close: async () => removeStackFile(data) });
  return {
    file,
    content,
    logs,
    died: Promise.race([...(options.replicas > 1 ? [] : services.running), ...banks].map(({ died }) => died)),
  };
}
