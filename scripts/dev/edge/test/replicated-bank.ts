import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, deployMigrations } from '@kontoport/database';
import { startKillableKafka } from '@kontoport/embedded/apache-kafka';
import { startEmbeddedPostgres } from '@kontoport/embedded/embedded-postgres';
import { freePorts } from '@kontoport/embedded/port';
import { untilReady } from '@kontoport/embedded/until-ready';
import { until } from '@kontoport/embedded/wait';
import { topics } from '@kontoport/events';
import { ensureSandboxCa } from '@kontoport/issuing';
import { runSql } from '@kontoport/testing/postgres';
import { type TestCa, testCa } from '@kontoport/testing/qwac';
import { type ServiceProcess, startServiceProcess } from '@kontoport/testing/service-process';
import { type UpstreamName, UPSTREAMS } from '../src/routes.ts';
import { REAL_EDGES, type RunningEdge, startRealEdge } from './real-edge.ts';

const SERVICES_FOLDER = join(import.meta.dirname, '../../../../services');
const HOST = '127.0.0.1';
const REPLICAS = 2;
const START_LIMIT_MS = 90_000;

/** In the order in which a release rolls them. */
export const SERVICES = [
  'registration',
  'auth',
  'account-information',
  'payments',
  'webhook-dispatcher',
] as const;
export type ServiceName = (typeof SERVICES)[number];

const LISTENERS = ['http', 'grpc', 'ops', 'user'] as const;
type Ports = Record<(typeof LISTENERS)[number], number>;

/** The listeners that the services reach through the proxy, as through a Service of Kubernetes. */
const INSIDE = {
  registration: { service: 'registration', listener: 'grpc' },
  keys: { service: 'auth', listener: 'http' },
  accounts: { service: 'account-information', listener: 'grpc' },
  payments: { service: 'payments', listener: 'grpc' },
} as const;
type Inside = Record<keyof typeof INSIDE, string>;

/** A replica of a service on ports of its own, which it keeps over restarts. */
export class Replica {
  readonly service: ServiceName;
  readonly ports: Ports;
  readonly #env: Record<string, string>;
  #process!: ServiceProcess;

  constructor(service: ServiceName, ports: Ports, env: Record<string, string>) {
    this.service = service;
    this.ports = ports;
    this.#env = {
      ...env,
      HTTP_PORT: String(ports.http),
      GRPC_PORT: String(ports.grpc),
      OPS_PORT: String(ports.ops),
      USER_PORT: String(ports.user),
    };
  }

  async start(): Promise<void> {
    this.#process = startServiceProcess({ service: this.service, env: this.#env });
    await this.#process.ready(START_LIMIT_MS);
  }

  /** Waits until it is ready again after an outage of another part. */
  ready(): Promise<void> {
    return untilReady({
      name: this.service,
      opsPort: this.ports.ops,
      limitMs: START_LIMIT_MS,
      signal: new AbortController().signal,
    });
  }

  /** The last few log lines of the process. */
  complaints(): readonly string[] {
    return this.#process.log.slice(-5).map((line) => JSON.stringify(line));
  }

  /** Stops the process as an orchestrator ends a pod. */
  stop(): Promise<unknown> {
    return this.#process?.kill('SIGTERM');
  }

  /** Waits until it has answered requests, since it started or from now on. */
  async takesPart(): Promise<void> {
    const before = await this.#answered();
    await until(async () => (await this.#answered()) > before, {
      what: `a replica of ${this.service} that answers requests`,
      timeout: START_LIMIT_MS,
    });
  }

  /** The number of requests that it has answered since its start. */
  async #answered(): Promise<number> {
    const metrics = await (await fetch(`http://${HOST}:${this.ports.ops}/metrics`)).text();
    const counts = metrics.matchAll(/^http_server_request_duration_seconds_count\{[^}]*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }
}

/**
 * The five services, two replicas each, on PostgreSQL and Apache Kafka of their own. HAProxy carries the requests of TPPs and those
 * between the services. payments keeps its data in PostgreSQL, as in production; the accounts are the sandbox's.
 */
export class ReplicatedBank {
  edge!: RunningEdge;
  /** Issues the certificates of TPPs. */
  issuing!: TestCa;
  /** Address of the ledger for the bank, host:port. */
  ledger!: string;
  kafka!: Awaited<ReturnType<typeof startKillableKafka>>;
  #postgres!: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'kontoport-replicated-'));
  readonly #postgresPlace = { dir: join(this.#folder, 'postgres'), port: 0 };
  #replicas: readonly Replica[] = [];

  async open(): Promise<void> {
    const root = await testCa({ name: 'Test Root' });
    this.issuing = await testCa({ name: 'Test Issuing CA', issuer: root });
    const anchors = join(this.#folder, 'anchors');
    mkdirSync(anchors);
    writeFileSync(join(anchors, 'root.pem'), root.certificatePem);
    const [[postgresPort], insidePorts, ports] = [
      await freePorts(1),
      await freePorts(Object.keys(INSIDE).length),
      await freePorts(SERVICES.length * REPLICAS * LISTENERS.length),
    ];
    this.#postgresPlace.port = postgresPort!;
    const inside = Object.fromEntries(
      Object.keys(INSIDE).map((name, at) => [name, `${HOST}:${insidePorts[at]}`]),
    ) as Inside;
    this.ledger = inside.accounts;
    const places = SERVICES.flatMap((service) => Array.from({ length: REPLICAS }, () => service)).map(
      (service, at) => {
        const own = ports.slice(at * LISTENERS.length);
        return {
          service,
          ports: Object.fromEntries(LISTENERS.map((name, of) => [name, own[of]!])) as Ports,
        };
      },
    );
    const edgeSecret = randomBytes(32).toString('base64url');
    [this.#postgres, this.kafka, this.edge] = await Promise.all([
      startEmbeddedPostgres(this.#postgresPlace),
      startKillableKafka(Object.values(topics)),
      this.#openEdge({ places, inside, edgeSecret, trustedCas: root.certificatePem }),
    ]);
    // PostgreSQL is stopped in order, so it needs no fsync.
    await runSql(
      new URL('postgres', this.#postgres.url).href,
      'ALTER SYSTEM SET fsync = off',
      'SELECT pg_reload_conf()',
    );
    const databases = await this.#deploy();
    const own = ownEnvironments({ inside, userUrl: this.edge.urls.user });
    const shared = {
      HTTP_HOST: HOST,
      TRUST_ANCHORS: anchors,
      REVOCATION: 'off',
      INTERNAL_TLS: 'off',
      EDGE_ADDRESSES: `${HOST}/32`,
      EDGE_SECRET: edgeSecret,
      EDGE_FORMAT: 'haproxy',
      REGISTRATION_GRPC: inside.registration,
      AUTH_JWKS_URL: `http://${inside.keys}/.well-known/jwks.json`,
      TOKEN_ISSUER: this.edge.urls.auth,
      KAFKA_BROKERS: this.kafka.brokers.join(','),
      RATE_LIMIT_CLIENT: '1000000',
      RATE_LIMIT_ORGANIZATION: '1000000',
      LOG_LEVEL: 'warn',
    };
    this.#replicas = places.map(
      (place) =>
        new Replica(place.service, place.ports, {
          ...shared,
          ENVIRONMENT: place.service === 'payments' ? 'production' : 'sandbox',
          DATABASE_URL: databases[place.service],
          ...own[place.service],
          // No proxy is before a replica that is not ready: this one becomes ready by itself.
          ...(place.service === 'registration' ? { REGISTRATION_GRPC: `${HOST}:${place.ports.grpc}` } : {}),
        }),
    );
    await Promise.all(this.#replicas.map((replica) => replica.start()));
  }

  replicasOf(service: ServiceName): readonly Replica[] {
    return this.#replicas.filter((replica) => replica.service === service);
  }

  /** The last few log lines of the replicas of these services. */
  complaints(services: readonly ServiceName[]): string[] {
    return this.#replicas
      .filter(({ service }) => services.includes(service))
      .flatMap((replica) => replica.complaints());
  }

  /** Ends every connection, as a restart of the server does. */
  stopPostgres(): Promise<void> {
    return this.#postgres.stop();
  }

  /** Starts it on the same data; resolves when every replica is ready again. */
  async startPostgres(): Promise<void> {
    this.#postgres = await startEmbeddedPostgres(this.#postgresPlace);
    await Promise.all(this.#replicas.map((replica) => replica.ready()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.stop()));
    await this.edge?.close();
    await this.kafka?.stop();
    await this.#postgres?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #deploy(): Promise<Record<ServiceName, string>> {
    const urls = await Promise.all(
      SERVICES.map(async (name) => {
        const url = await createDatabase(this.#postgres.url, name.replaceAll('-', '_'));
        await deployMigrations({ url, prismaDir: join(SERVICES_FOLDER, name, 'prisma') });
        return [name, url] as const;
      }),
    );
    return Object.fromEntries(urls) as Record<ServiceName, string>;
  }

  async #openEdge(options: {
    places: readonly Place[];
    inside: Inside;
    edgeSecret: string;
    trustedCas: string;
  }): Promise<RunningEdge> {
    const { places, inside, edgeSecret, trustedCas } = options;
    const ca = await ensureSandboxCa({
      folder: join(this.#folder, 'ca'),
      trustAnchors: join(this.#folder, 'server-anchors'),
      at: new Date(),
    });
    const of = (name: UpstreamName) => places.filter(({ service }) => service === serviceOf(name));
    return startRealEdge(REAL_EDGES.haproxy, {
      server: {
        cert: readFileSync(ca.server.certificate, 'utf8'),
        key: readFileSync(ca.server.key, 'utf8'),
      },
      trustedCas,
      edgeSecret,
      upstreams: Object.fromEntries(
        UPSTREAMS.map((name) => [name, { host: HOST, port: of(name)[0]!.ports[listenerOf(name)] }]),
      ) as Record<UpstreamName, { host: string; port: number }>,
      change: (recipe) =>
        BACKENDS.reduce((text, [backend, name]) => {
          const head = `backend ${backend} from services\n`;
          const lines = serversOf(of(name), listenerOf(name));
          return text.replace(new RegExp(`${head} {2}server .*\n`), `${head}${lines}`);
        }, recipe) + insideSection(places, inside),
    });
  }
}

/** The backends of the recipe, each with its listener. */
const BACKENDS: readonly (readonly [backend: string, listener: UpstreamName])[] = [
  ...UPSTREAMS.map((name) => [name.replaceAll('-', '_'), name] as const),
  ['funds_confirmation', 'account-information'],
];

interface Place {
  service: ServiceName;
  ports: Ports;
}

const serviceOf = (name: UpstreamName): ServiceName => (name === 'user' ? 'auth' : name);
const listenerOf = (name: UpstreamName): 'http' | 'user' => (name === 'user' ? 'user' : 'http');

/** HAProxy sends requests to the ready replicas, and repeats a failed connection at the other one. */
function serversOf(places: readonly Place[], listener: keyof Ports): string {
  const servers = places.map(
    ({ ports }, at) =>
      `  server replica${at} ${HOST}:${ports[listener]} check port ${ports.ops} inter 200 fall 1 rise 1`,
  );
  return [
    '  option httpchk GET /readyz',
    '  option redispatch 1',
    '  timeout check 10s',
    ...servers,
    '',
  ].join('\n');
}

/** Connections that stay open, gRPC's among them. */
function insideSection(places: readonly Place[], inside: Inside): string {
  const sections = Object.entries(INSIDE).map(([name, { service, listener }]) =>
    [
      `listen inside_${name} from inside`,
      `  bind ${inside[name as keyof Inside]}`,
      serversOf(
        places.filter((place) => place.service === service),
        listener,
      ),
    ].join('\n'),
  );
  return `
defaults inside
  mode tcp
  timeout connect 3s
  timeout client 1h
  timeout server 1h

${sections.join('\n')}`;
}

/** The environment of each service beyond the common part. */
function ownEnvironments(around: {
  inside: Inside;
  userUrl: string;
}): Record<ServiceName, Record<string, string>> {
  const { inside, userUrl } = around;
  const SECRETS_KEY = randomBytes(32).toString('base64url');
  // Drafts need no login of a user and no call of the bank.
  const noBank = { BANK_GRPC: 'localhost:1' };
  return {
    registration: { CLIENT_SECRET_PEPPER: randomBytes(32).toString('base64url') },
    auth: { SECRETS_KEY, USER_URL: userUrl, PAYMENTS_GRPC: inside.payments, ACCOUNTS_GRPC: inside.accounts },
    'account-information': { SECRETS_KEY },
    payments: {
      ...noBank,
      USER_URL: userUrl,
      ACCOUNTS_GRPC: inside.accounts,
      OPEN_ITEMS_PER_CLIENT: '1000000',
    },
    'webhook-dispatcher': { SECRETS_KEY, CALLBACK_LOOPBACK: 'true' },
  };
}
