// The whole sandbox on one machine, started in the order of its dependencies and stopped in reverse.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundleArguments, serviceArguments } from '@kontoport/embedded/node-process';
import { untilReady } from '@kontoport/embedded/until-ready';
import type { Lifecycle } from '@kontoport/lifecycle';
import { openApacheKafka, requireApacheKafka } from './apache-kafka.ts';
import { type Backing, deployDatabases, openBroker, openPostgres } from './backing-services.ts';
import { bankAddress, type LocalBank, openBank } from './bank-process.ts';
import { keepCertificates, keepIntermediates, openEdge, proxyNeeds } from './edge-process.ts';
import { type InternalCertificates, keepInternalCertificates } from './internal-certificates.ts';
import { assignPorts, type StackPorts } from './ports.ts';
import type { Progress } from './progress.ts';
import { openResponder } from './revocation.ts';
import { ensureEdgeSecret, ensureSecrets, newSecret } from './secrets.ts';
import { serviceEnvironments } from './service-environment.ts';
import { type ServiceName, SERVICES } from './services.ts';
import { removeStackFile, type StackFile, stackFilePath, writeStackFile } from './stack-file.ts';
import type { EdgeAddress, StartArguments } from './start-arguments.ts';
import { type Death, ServiceDied, supervise, type Supervised } from './supervise.ts';
import { untilSilent } from './until-silent.ts';

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
  bundles: StartArguments['bundles'];
  env: NodeJS.ProcessEnv;
  progress: Progress;
  /** Fires when the person wants to stop while the stack is still starting. */
  signal: AbortSignal;
  /** Takes note of everything that is opened, also when the start fails. */
  lifecycle: Lifecycle;
}

/** A stack that is ready. */
export interface Stack {
  /** Absolute path of stack.json. */
  file: string;
  content: StackFile;
  /** Folder of the services' logs. */
  logs: string;
  /** Resolves when a service ends without being asked to. */
  died: Promise<Death>;
}

async function startServices(
  options: StackOptions & {
    assigned: StackPorts;
    environments: Record<ServiceName, Record<string, string>>;
    logs: string;
  },
): Promise<Supervised[]> {
  const { progress, root, lifecycle, bundles } = options;
  const services: Supervised[] = [];
  lifecycle.own('services', {
    close: async () => void (await Promise.all(services.map((service) => service.stop(STOP_LIMIT_MS)))),
  });
  for (const name of SERVICES) {
    services.push(
      supervise({
        name,
        args: bundles === undefined ? serviceArguments(name) : bundleArguments(name, bundles),
        env: options.environments[name],
        cwd: root,
        logFile: join(options.logs, `${name}.log`),
        orphanedFile: stackFilePath(options.data),
      }),
    );
  }
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  for (const { died } of services) void died.then((death) => failed.abort(new ServiceDied(death)));
  await allSettled(
    services.map(({ name }) =>
      progress.step(name, (note) => {
        const { ops: opsPort } = options.assigned.services[name as ServiceName];
        return untilReady({ name, opsPort, limitMs: READY_LIMIT_MS, signal, note });
      }),
    ),
  );
  return services;
}

/** The example bank, before which production runs on a laptop. */
function startBank(
  options: StackOptions,
  {
    assigned: ports,
    ...rest
  }: {
    assigned: StackPorts;
    logs: string;
    userUrl: string;
    inside: InternalCertificates | undefined;
  },
): Promise<LocalBank> {
  const orphanedFile = stackFilePath(options.data);
  return options.progress.step('Bank', () => openBank({ ...options, ports, ...rest, orphanedFile }));
}

/** Waits for all, so that nothing goes on behind a failure, and then throws the first one. */
async function allSettled<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as { [K in keyof T]: Awaited<T[K]> };
}

/** Starts the edge, the migrated databases and the broker together: none of them needs another. */
async function openSurroundings(
  options: StackOptions & {
    assigned: StackPorts;
    logs: string;
    edgeSecret: string;
    inside: InternalCertificates | undefined;
    folder: string;
    trustAnchors: string;
    responder: string;
  },
) {
  const { root, data, env, progress, lifecycle, assigned } = options;
  const hasEdge = options.edge === 'own';
  const ca = await keepCertificates(options);
  const postgres = lifecycle.ownOpening('PostgreSQL', openPostgres({ data, env }));
  const broker = lifecycle.ownOpening(
    'Kafka',
    options.kafka === 'apache' ? openApacheKafka({ data, ca }) : openBroker({ data, env }),
  );
  const [edge, databases, kafka] = await allSettled([
    progress.step(hasEdge ? 'Certificates and edge' : 'Certificates', async (note) => {
      if (ca.renewed.length > 0) note(`new: ${ca.renewed.join(', ')}`);
      if (!hasEdge) return undefined;
      return openEdge({ ...options, ports: assigned, ca, orphanedFile: stackFilePath(data) });
    }),
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
  return { ca, edge, databases, kafka, postgres: await postgres };
}

function locate({ name, pid }: Supervised, { services }: StackPorts): StackFile['services'][number] {
  const { ops, grpc } = services[name as ServiceName];
  return { name, pid, ops: `http://127.0.0.1:${ops}`, grpc: `127.0.0.1:${grpc}` };
}

/**
 * Starts everything and publishes stack.json.
 * @throws Error in words for the person at the terminal; ServiceDied with the last lines of its log
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { data, env, signal, lifecycle } = options;
  if (options.kafka === 'apache') requireApacheKafka();
  const logs = join(data, 'logs');
  const [folder, trustAnchors] = [join(data, 'ca'), join(data, 'trust-anchors')];
  mkdirSync(logs, { recursive: true });
  // Before the others choose theirs: it has a port of its own to come back to.
  const { origin: responder } = await openResponder({ ...options, ca: folder });
  const assigned = await assignPorts(options.ports);
  const secrets = await ensureSecrets(join(data, 'secrets.json'));
  const secretFile = join(data, 'edge-secret');
  const edgeSecret = options.edge === 'own' ? newSecret() : await ensureEdgeSecret(secretFile);
  const isProduction = options.environment === 'production';
  // In the sandbox nothing leaves the machine, and a start is to be short.
  const inside = isProduction
    ? await keepInternalCertificates({ ...options, folder: join(data, 'internal-tls') })
    : undefined;
  const found = { assigned, logs, edgeSecret, inside, folder, trustAnchors, responder };
  const around = await openSurroundings({ ...options, ...found });
  const { ca, edge, databases, kafka } = around;
  signal.throwIfAborted();

  const intermediates = options.edge === 'none' ? keepIntermediates(data, ca) : undefined;
  const url = (address: EdgeAddress): string => `https://localhost:${assigned.addresses[address]}`;
  const environments = serviceEnvironments(
    {
      environment: options.environment,
      ...(isProduction ? { bank: bankAddress(assigned) } : {}),
      ports: assigned.services,
      databases,
      databaseTls: around.postgres.environment,
      kafka: (service) => kafka.environment(service),
      trustAnchors,
      authUrl: url('auth'),
      userUrl: url('user'),
      secrets,
      edgeSecret,
      inside,
    },
    { INTERMEDIATES: intermediates, ...env },
  );
  const services = await startServices({ ...options, assigned, environments, logs });
  const bank = isProduction
    ? await startBank(options, { assigned, logs, userUrl: url('user'), inside })
    : undefined;
  // Named again after the services, so that it closes before them: no request comes in while they drain.
  if (edge !== undefined) lifecycle.own('edge', edge);

  const content: StackFile = {
    baseUrl: url('base'),
    registrationUrl: url('registration'),
    authUrl: url('auth'),
    userUrl: url('user'),
    serverCa: ca.root.certificate,
    trustAnchors,
    services: services.map((service) => locate(service, assigned)),
    ...(options.edge === 'none' && {
      proxy: proxyNeeds({ ports: assigned, ca, secretFile, inside, env }),
    }),
    ...(bank && { bank: { pid: bank.pid, pages: bank.pagesUrl } }),
    issuingCa: ca.issuingCa,
  };
  const file = await writeStackFile(data, content);
  lifecycle.own('stack.json', { close: async () => removeStackFile(data) });
  return {
    file,
    content,
    logs,
    died: Promise.race([
      ...[...services, ...(edge ? [edge] : []), ...(bank ? [bank] : [])].map(({ died }) => died),
      backingDied('PostgreSQL', around.postgres, lifecycle),
      backingDied('Kafka', kafka, lifecycle),
    ]),
  };
}

/** An embedded backing service that stops listening counts as dead; those of others are not ours to judge. */
async function backingDied(name: string, { port }: Backing, lifecycle: Lifecycle): Promise<Death> {
  if (port === undefined) return new Promise(() => {});
  const watch = new AbortController();
  lifecycle.own(`watch of ${name}`, { close: async () => watch.abort() });
  await untilSilent({ port, signal: watch.signal });
  return { name, how: `does not listen on port ${port} any more`, lastLines: [] };
}
