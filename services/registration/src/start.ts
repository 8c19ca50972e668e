import { databaseReady } from '@kontoport/database';
import { startGrpcServer } from '@kontoport/grpc';
import { openGate } from '@kontoport/gate';
import { startHttpServer } from '@kontoport/http';
import { createLogger, type Lifecycle, type Logger, readConfig, startOpsServer } from '@kontoport/runtime';
import { app } from './app.ts';
import { forgetRequests } from './client/forget-requests.ts';
import { config as shape } from './config.ts';
import { openDeps } from './deps.ts';

/** A started registration, with the ports that it listens on. */
export interface Registration {
  logger: Logger;
  httpPort: number;
  grpcPort: number;
  opsPort: number;
}

/** Starts registration; everything opened is owned by `lifecycle`. @throws ConfigError naming all that is missing. */
export async function start(options: {
  lifecycle: Lifecycle;
  env: Record<string, string | undefined>;
}): Promise<Registration> {
  const { lifecycle } = options;
  const config = readConfig(shape, options.env);
  const { HTTP_HOST: host, HTTP_PORT, GRPC_PORT, OPS_PORT } = config;
  const logger = createLogger({ service: 'registration', level: config.LOG_LEVEL });
  const deps = openDeps({ config, logger, lifecycle });
  const { routes, rpcs } = app(deps);
  lifecycle.own('request retention', forgetRequests(deps));

  const grpc = lifecycle.own('gRPC', await startGrpcServer({ host, port: GRPC_PORT, rpcs }));
  // Closed before the server, which would wait for the streams: the watchers leave for another replica.
  lifecycle.own('directory', deps.hub);
  const gate = await openGate({ service: 'registration', config, logger, lifecycle });
  const http = lifecycle.own('HTTP', await startHttpServer({ host, port: HTTP_PORT, routes, gate, logger }));
  const ops = lifecycle.own(
    'ops',
    await startOpsServer({
      host,
      port: OPS_PORT,
      readiness: {
        database: () => databaseReady(deps.pool),
        directory: () => deps.hub.readiness(),
        gate: () => gate.directory.readiness(),
      },
    }),
  );
  return { logger, httpPort: http.port, grpcPort: grpc.port, opsPort: ops.port };
}
