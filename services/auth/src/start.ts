import { databaseReady } from '@kontoport/database';
import { startHttpServer } from '@kontoport/http';
import { createLogger, type Lifecycle, type Logger, readConfig, startOpsServer } from '@kontoport/runtime';
import { app } from './app.ts';
import { config as shape } from './config.ts';
import { openDeps } from './deps.ts';

/** Starts auth: configuration → dependencies → servers; `lifecycle` closes them in reverse. */
export async function start(context: {
  env: Record<string, string | undefined>;
  lifecycle: Lifecycle;
}): Promise<{ logger: Logger; httpPort: number; opsPort: number }> {
  const { env, lifecycle } = context;
  const config = readConfig(shape, env);
  const logger = createLogger({ service: 'auth', level: config.LOG_LEVEL });
  const deps = await openDeps({ config, logger, lifecycle });
  const http = lifecycle.own(
    'http',
    await startHttpServer({
      host: config.HTTP_HOST,
      port: config.HTTP_PORT,
      routes: app(deps).routes,
      gate: deps.gate,
      logger,
    }),
  );
  const ops = lifecycle.own(
    'ops',
    await startOpsServer({
      host: config.HTTP_HOST,
      port: config.OPS_PORT,
      readiness: {
        database: () => databaseReady(deps.pool),
        'signing keys': () => deps.keyRing.readiness(new Date()),
      },
    }),
  );
  return { logger, httpPort: http.port, opsPort: ops.port };
}
