import { databaseReady } from '@kontoport/database';
import { startGrpcServer } from '@kontoport/grpc';
import { startHttpServer } from '@kontoport/http';
import { createLogger, type Lifecycle, readConfig, startOpsServer } from '@kontoport/runtime';
import { app } from './app.ts';
import { config as shape } from './config.ts';
import { openDeps } from './deps.ts';

/** Starts the service; `lifecycle` stops it. */
export async function start({ env, lifecycle }: { env: NodeJS.ProcessEnv; lifecycle: Lifecycle }) {
  const config = readConfig(shape, env);
  const logger = createLogger({ service: 'account-information', level: config.LOG_LEVEL });
  const { gate, ...deps } = await openDeps({ config, logger, lifecycle });
  const { routes, rpcs } = app(deps);
  const host = config.HTTP_HOST;

  const ops = lifecycle.own(
    'ops',
    await startOpsServer({
      host,
      port: config.OPS_PORT,
      readiness: { database: () => databaseReady(deps.pool), directory: () => gate.directory.readiness() },
    }),
  );
  const grpc = lifecycle.own('grpc', await startGrpcServer({ host, port: config.GRPC_PORT, rpcs }));
  const http = lifecycle.own(
    'http',
    await startHttpServer({ host, port: config.HTTP_PORT, routes, gate, logger, prefixes: ['/aisp-pisp'] }),
  );
  return { logger, httpPort: http.port, grpcPort: grpc.port, opsPort: ops.port };
}
