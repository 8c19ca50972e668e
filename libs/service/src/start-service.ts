import { ConfigError, port, readConfig } from '@kontoport/config';
import { startConsumers } from '@kontoport/events';
import { type Gate, openGate, type Route, type Security } from '@kontoport/gate';
import { type ClientConstructor, createClient, startGrpcServer } from '@kontoport/grpc';
import { type HttpServerOptions, startHttpServer } from '@kontoport/http';
import { type InternalTls, openInternalTls } from '@kontoport/internal-tls';
import {
  createLogger,
  describeError,
  type Lifecycle,
  type Logger,
  type Readiness,
  startOpsServer,
} from '@kontoport/lifecycle';
import { Shell } from '@kontoport/pages';
import { type Address, ADDRESS_NAMES, ADDRESSES, addressOf } from './addresses.ts';
import type { App } from './app.ts';
import { commonConfig } from './common-config.ts';
import { shareUsage } from './share-usage.ts';

/** The arguments of a start. */
export interface StartContext {
  env: Record<string, string | undefined>;
  lifecycle: Lifecycle;
  /** Aborted to stop the service during its start, after the current step. */
  signal?: AbortSignal;
  /** Milliseconds in which idle connections still accept requests during a stop; see `HttpServerOptions`. */
  lastCallMs?: number;
}

/** A started service and where it answers. */
export interface Started<Deps> {
  logger: Logger;
  /** The origin of every address: `http://host:port`, or https with internal TLS. */
  addresses: Partial<Record<Address, string>>;
  /** Absent without rpcs. */
  grpcPort: number | undefined;
  opsPort: number;
  deps: Deps;
}

/** Opens a client of another service's rpcs. */
export type ConnectPeer = <Client extends { close(): void }>(
  constructor: ClientConstructor<Client>,
  address: string,
) => Client;

/** The parts of a service that its start needs. Only the definition knows `Settings`. */
interface Parts<Settings, Deps> {
  name: string;
  context: StartContext;
  read: () => Settings;
  open: (
    common: {
      service: string;
      logger: Logger;
      lifecycle: Lifecycle;
      gate: Gate;
      connect: ConnectPeer;
    },
    settings: Settings,
  ) => Deps | Promise<Deps>;
  app: (deps: Deps) => App;
}

/** Variables of the start itself. */
const serverConfig = { ...commonConfig, GRPC_PORT: port.optional(), USER_PORT: port.optional() };
type ServerConfig = ReturnType<typeof readConfig<typeof serverConfig>>;

/**
 * Starts a service in this order: configuration → ops server (not ready) → gate → dependencies → loops and consumers →
 * gRPC → HTTP → ready. `lifecycle` stops everything in reverse.
 * @throws ConfigError before anything is opened, or when opening shows that a variable is unusable
 */
export async function startService<Settings, Deps>(parts: Parts<Settings, Deps>): Promise<Started<Deps>> {
  const { name: service, context } = parts;
  const { env, lifecycle, signal } = context;
  const settings = parts.read();
  const config = readConfig(serverConfig, env);
  const logger = createLogger({ service, level: config.LOG_LEVEL });
  const tls = openInternalTls({ name: service, config, logger });

  const readiness: Record<string, Readiness> = {};
  let at = 'ops server';
  const step = async <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    signal?.throwIfAborted();
    at = name;
    readiness.start = () => `opening the ${name}`;
    return work();
  };

  try {
    const { port: opsPort } = lifecycle.own(
      'ops server',
      await step('ops server', () =>
        startOpsServer({ service, host: config.HTTP_HOST, port: config.OPS_PORT, readiness }),
      ),
    );
    if (tls !== undefined) lifecycle.own(tls.watch.name, tls.watch).start();
    const gate = await step('gate', () => openGate({ service, config, tls, logger, lifecycle }));
    const connect: ConnectPeer = (constructor, address) => {
      const client = createClient(constructor, address, tls?.context);
      lifecycle.own(constructor.name, { close: async () => client.close() });
      return client;
    };
    const deps = await step('dependencies', () =>
      parts.open({ service, logger, lifecycle, gate, connect }, settings),
    );
    const app = parts.app(deps);
    await step('loops and consumers', () =>
      startBackground({ service, app, gate, lifecycle, logger, readiness }),
    );
    const grpcPort = await step('grpc server', () => serveRpcs({ app, config, tls, lifecycle }));
    // Closed after the HTTP servers and before the gRPC server, so that the last requests can be stored.
    const recordRequest = await step('request log', () =>
      startRequestLog({ config, connect, logger, lifecycle }),
    );
    const { lastCallMs } = context;
    const addresses = await step('http server', () =>
      serveRoutes({ app, config, tls, gate, logger, lifecycle, lastCallMs, recordRequest }),
    );
    signal?.throwIfAborted();
    Object.assign(readiness, readinessOf({ app, tls, gate }));
    delete readiness.start;
    // Owned last and so closed first: an orchestrator sees it before the servers close.
    lifecycle.own('readiness', { close: async () => void (readiness.stop = () => 'stopping') });
    return { logger, addresses, grpcPort, opsPort, deps };
  } catch (error) {
    readiness.start = () => `the ${at} could not be opened`;
    if (!(error instanceof ConfigError) && !signal?.aborted)
      logger.fatal({ resource: at, error: describeError(error) }, 'start failed');
    throw error;
  }
}

function startBackground(options: {
  service: string;
  app: App;
  gate: Gate;
  lifecycle: Lifecycle;
  logger: Logger;
  readiness: Record<string, Readiness>;
}): void {
  const { service, app, gate, lifecycle, logger, readiness } = options;
  const { usage, loops = [] } = app;
  const shared = usage === undefined ? [] : [shareUsage({ limits: gate.limits, usage, logger })];
  for (const loop of [...loops, ...shared]) {
    lifecycle.own(loop.name, loop);
    loop.start();
  }
  if (app.consumers === undefined) return;
  const running = lifecycle.own(
    'kafka consumers',
    startConsumers({ ...app.consumers, groupId: service, logger }),
  );
  readiness.kafka = () => running.groupReady();
}

async function serveRpcs(options: {
  app: App;
  config: ServerConfig;
  tls: InternalTls | undefined;
  lifecycle: Lifecycle;
}): Promise<number | undefined> {
  const { app, config, tls, lifecycle } = options;
  const { rpcs = [] } = app;
  if (rpcs.length === 0) return undefined;
  const server = await startGrpcServer({
    host: config.HTTP_HOST,
    port: required(config, 'GRPC_PORT'),
    rpcs,
    tls,
  });
  return lifecycle.own('grpc server', server).port;
}

/** Starts to send answered requests to the request log. Loads nothing without the address of one. */
async function startRequestLog(options: {
  config: ServerConfig;
  connect: ConnectPeer;
  logger: Logger;
  lifecycle: Lifecycle;
}): Promise<HttpServerOptions<Security>['recordRequest']> {
  const { config, connect, logger, lifecycle } = options;
  const address = config.REQUEST_LOG_GRPC;
  if (address === undefined) return undefined;
  const { openRequestLog } = await import('./request-log.ts');
  const { recordRequest, loop } = openRequestLog({ address, connect, logger });
  lifecycle.own(loop.name, loop).start();
  return recordRequest;
}

/** Starts a listener for each address. */
async function serveRoutes(options: {
  app: App;
  config: ServerConfig;
  tls: InternalTls | undefined;
  gate: Gate;
  logger: Logger;
  lifecycle: Lifecycle;
  lastCallMs: number | undefined;
  recordRequest: HttpServerOptions<Security>['recordRequest'];
}): Promise<Partial<Record<Address, string>>> {
  const { app, config, tls, gate, logger, lifecycle, lastCallMs, recordRequest } = options;
  const host = config.HTTP_HOST;
  const shell = shellOf(config);
  const origins: Partial<Record<Address, string>> = {};
  for (const address of ADDRESS_NAMES) {
    const routes: readonly Route[] | undefined = app.routes[address];
    if (routes === undefined) continue;
    const { port: variable, prefixes, errors, callers } = ADDRESSES[address];
    const server = await startHttpServer({
      host,
      port: required(config, variable),
      routes,
      gate,
      logger,
      recordRequest,
      prefixes,
      errors,
      shell,
      tls,
      callers,
      lastCallMs,
      elsewhere: (path) => {
        const right = addressOf(path);
        return right === address ? undefined : right;
      },
    });
    lifecycle.own(`http server of ${address}`, server);
    origins[address] =
      `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  }
  return origins;
}

/** Makes the look of the bank's pages, with links between the addresses that are configured. */
export function shellOf(
  config: Pick<ServerConfig, 'BRAND_NAME' | 'BRAND_COLOR' | 'BRAND_LOGO' | 'PUBLIC_URLS'>,
): Shell {
  const { BRAND_NAME: name, BRAND_COLOR: color, BRAND_LOGO: logo } = config;
  const urls = config.PUBLIC_URLS?.map((url) => url.replace(/\/+$/, ''));
  const addresses = urls && Object.fromEntries(ADDRESS_NAMES.map((name, at) => [name, urls[at]!]));
  return new Shell({ brand: { name, color, logo }, addresses });
}

/** Returns a port. Its absence is a mistake in the service, not in its environment. */
function required(config: ServerConfig, variable: 'HTTP_PORT' | 'GRPC_PORT' | 'USER_PORT'): number {
  const value = config[variable];
  if (value === undefined) throw new ConfigError([`${variable}: missing`]);
  return value;
}

function readinessOf({
  app,
  tls,
  gate,
}: {
  app: App;
  tls: InternalTls | undefined;
  gate: Gate;
}): Record<string, Readiness> {
  const demandsTokens = Object.values(app.routes).some((routes) =>
    routes.some(({ security }) => security.kind === 'token'),
  );
  return {
    // Tokens cannot be checked before the clients are known.
    ...(demandsTokens ? { 'client directory': () => gate.directory.readiness() } : {}),
    ...(tls === undefined ? {} : { 'internal TLS': () => tls.readiness() }),
    ...app.readiness,
  };
}
