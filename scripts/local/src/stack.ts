// The whole sandbox on one machine, started in the order of its dependencies and stopped in reverse.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Backing, deployDatabases, openBroker, openPostgres, untilSilent } from './backing-services.ts';
import { type Edge, type EdgeAddress, PortTaken, startEdge } from '@kontoport/edge';
import type { Openings } from './openings.ts';
import { freePorts } from '@kontoport/embedded/port';
import type { Progress } from './progress.ts';
import { untilReady } from './readiness.ts';
import { ensureSandboxCa, type SandboxCa } from '@kontoport/issuing';
import { ensureSecrets, newSecret } from './secrets.ts';
import { serviceEnvironments } from './service-environment.ts';
import { type ServiceName, type ServicePorts, SERVICES } from './services.ts';
import { removeStackFile, type StackFile, stackFilePath, writeStackFile } from './stack-file.ts';
import { PORT_OPTIONS } from './start-arguments.ts';
import { type Death, supervise, type Supervised } from './supervise.ts';

const READY_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
const CERTIFICATE_CHECK_MS = 6 * 3_600_000;

export interface StackOptions {
  /** The repository's folder. */
  root: string;
  /** Absolute path of the data folder; it exists. */
  data: string;
  ports: Record<EdgeAddress, number>;
  env: NodeJS.ProcessEnv;
  progress: Progress;
  /** Fires when the person wants to stop while the stack is still starting. */
  signal: AbortSignal;
  /** Takes note of everything that is opened, also when the start fails. */
  openings: Openings;
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

/** A service that ended while the stack started. */
export class ServiceDied extends Error {
  override readonly name = 'ServiceDied';
  readonly death: Death;

  constructor(death: Death) {
    super(`${death.name} ${death.how}`);
    this.death = death;
  }
}

function perService<T>(of: (name: ServiceName, at: number) => T): Record<ServiceName, T> {
  return Object.fromEntries(SERVICES.map((name, at) => [name, of(name, at)])) as Record<ServiceName, T>;
}

async function assignPorts(): Promise<Record<ServiceName, ServicePorts>> {
  const free = await freePorts(SERVICES.length * 3);
  return perService((_, at) => ({ http: free[3 * at]!, grpc: free[3 * at + 1]!, ops: free[3 * at + 2]! }));
}

function inWords(error: unknown): unknown {
  if (!(error instanceof PortTaken)) return error;
  const { flag, variable } = PORT_OPTIONS[error.address];
  return new Error(
    `port ${error.port} is taken by another program (${error.address} address): choose another with --${flag} N or ${variable}=N, for example npm start -- --${flag} ${error.port + 1000}`,
  );
}

interface Door {
  ca: SandboxCa;
  edge: Edge;
  edgeSecret: string;
}

/** Certificates and the edge. It listens first: a taken port is known at once, and the services learn the addresses. */
async function openDoor(
  options: StackOptions & { servicePorts: Record<ServiceName, ServicePorts>; trustAnchors: string },
): Promise<Door> {
  const { data, trustAnchors, progress, openings, servicePorts } = options;
  const renew = (): Promise<SandboxCa> =>
    ensureSandboxCa({ folder: join(data, 'ca'), trustAnchors, at: new Date() });
  const ca = await renew();
  const edgeSecret = newSecret();
  const edge = await startEdge({
    ports: options.ports,
    server: ca.server,
    services: perService((name) => servicePorts[name].http),
    edgeSecret,
  }).catch((error: unknown) => {
    throw inWords(error);
  });
  openings.add('edge', () => edge.close());
  // A stack that stays up for months gets its server certificate renewed under way.
  const check = async (): Promise<void> => {
    const { renewed, server } = await renew();
    if (renewed.length > 0) edge.useCertificate(server);
  };
  const timer = setInterval(() => {
    check().catch((error: unknown) =>
      progress.line(`the server certificate was not renewed: ${String(error)}`),
    );
  }, CERTIFICATE_CHECK_MS);
  openings.add('certificate check', () => clearInterval(timer));
  return { ca, edge, edgeSecret };
}

async function startServices(
  options: StackOptions & {
    servicePorts: Record<ServiceName, ServicePorts>;
    environments: Record<ServiceName, Record<string, string>>;
    logs: string;
  },
): Promise<Supervised[]> {
  const { progress, root, openings } = options;
  const services: Supervised[] = [];
  openings.add('services', async () => {
    await Promise.all(services.map((service) => service.stop(STOP_LIMIT_MS)));
  });
  for (const name of SERVICES)
    services.push(
      supervise({
        name,
        args: [
          '--disable-warning=ExperimentalWarning',
          '--import',
          '@kontoport/runtime/otel',
          join(root, 'services', name, 'src/main.ts'),
        ],
        env: options.environments[name],
        cwd: root,
        logFile: join(options.logs, `${name}.log`),
        orphanedFile: stackFilePath(options.data),
      }),
    );
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  for (const { died } of services) void died.then((death) => failed.abort(new ServiceDied(death)));
  await allSettled(
    services.map(({ name }) =>
      progress.step(name, (note) => {
        const { ops } = options.servicePorts[name as ServiceName];
        return untilReady({ name, opsPort: ops, limit: READY_LIMIT_MS, signal, note });
      }),
    ),
  );
  return services;
}

/** Waits for all, so that nothing goes on behind a failure, and then throws the first one. */
async function allSettled<T extends readonly Promise<unknown>[]>(
  work: readonly [...T],
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as { [K in keyof T]: Awaited<T[K]> };
}

/**
 * Starts everything and publishes stack.json.
 * @throws Error in words for the person at the terminal; ServiceDied with the last lines of its log
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { root, data, env, progress, signal, openings } = options;
  const logs = join(data, 'logs');
  const trustAnchors = join(data, 'trust-anchors');
  mkdirSync(logs, { recursive: true });
  const secrets = await ensureSecrets(join(data, 'secrets.json'));
  const servicePorts = await assignPorts();

  const { ca, edge, edgeSecret } = await progress.step('Certificates and edge', async (note) => {
    const door = await openDoor({ ...options, servicePorts, trustAnchors });
    if (door.ca.renewed.length > 0) note(`new: ${door.ca.renewed.join(', ')}`);
    return door;
  });
  signal.throwIfAborted();

  const postgres = openings.own('PostgreSQL', openPostgres({ data, env }));
  const broker = openings.own('Kafka', openBroker({ env }));
  const [databases, kafka] = await allSettled([
    progress.step('PostgreSQL', async (note) => {
      const { url, description } = await postgres;
      note(`${description}, migrating`);
      const urls = await deployDatabases({ root, url });
      note(description);
      return urls;
    }),
    progress.step('Kafka', async (note) => {
      const opened = await broker;
      note(opened.description);
      return opened;
    }),
  ]);
  signal.throwIfAborted();

  const environments = serviceEnvironments(
    {
      ports: servicePorts,
      databases,
      kafka,
      trustAnchors,
      authUrl: edge.urls.auth,
      userUrl: edge.urls.user,
      secrets,
      edgeSecret,
    },
    env,
  );
  const services = await startServices({ ...options, servicePorts, environments, logs });
  // Named again after the services, so that it closes before them: no request comes in while they drain.
  openings.add('edge', () => edge.close());

  const content: StackFile = {
    baseUrl: edge.urls.base,
    registrationUrl: edge.urls.registration,
    authUrl: edge.urls.auth,
    userUrl: edge.urls.user,
    serverCa: ca.root.certificate,
    trustAnchors,
    services: services.map(({ name, pid }) => ({ name, pid })),
    issuingCa: ca.issuingCa,
  };
  const file = await writeStackFile(data, content);
  openings.add('stack.json', () => removeStackFile(data));
  return {
    file,
    content,
    logs,
    died: Promise.race([
      ...services.map(({ died }) => died),
      backingDied('PostgreSQL', await postgres, openings),
      backingDied('Kafka', kafka, openings),
    ]),
  };
}

/** An embedded backing service that stops listening counts as dead; those of others are not ours to judge. */
async function backingDied(name: string, { port }: Backing, openings: Openings): Promise<Death> {
  if (port === undefined) return new Promise(() => {});
  const watch = new AbortController();
  openings.add(`watch of ${name}`, () => watch.abort());
  await untilSilent({ port, signal: watch.signal });
  return { name, how: `does not listen on port ${port} any more`, lastLines: [] };
}
