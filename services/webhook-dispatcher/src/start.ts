import { databaseReady } from '@kontoport/database';
import { startConsumers } from '@kontoport/events';
import { startHttpServer } from '@kontoport/http';
import { createLogger, type Lifecycle, type Logger, readConfig, startOpsServer } from '@kontoport/runtime';
import { app } from './app.ts';
import { config as shape } from './config.ts';
import { openDeps } from './deps.ts';

const SERVICE = 'webhook-dispatcher';

/** Starts the service: configuration, then what it needs, then its consumers and its doors. */
export async function start(context: {
  env: Record<string, string | undefined>;
  lifecycle: Lifecycle;
}): Promise<{ logger: Logger; httpPort: number; opsPort: number }> {
  const { env, lifecycle } = context;
  const config = readConfig(shape, env);
  const logger = createLogger({ service: SERVICE, level: config.LOG_LEVEL });
  const deps = await openDeps({ config, logger, lifecycle });
  const { routes, consumers, loops } = app(deps);
  for (const loop of loops) {
    lifecycle.own(loop.name, loop);
    loop.start();
  }
  const running = lifecycle.own(
    'consumers',
    startConsumers({
      kafka: deps.kafka,
      groupId: SERVICE,
      topics: consumers,
      deadLetters: deps.deadLetters,
      logger,
    }),
  );
  const { port: httpPort } = lifecycle.own(
    'http',
    await startHttpServer({
      host: config.HTTP_HOST,
      port: config.HTTP_PORT,
      routes,
      gate: deps.gate,
      logger,
      prefixes: ['/aisp-pisp'],
    }),
  );
  const { port: opsPort } = lifecycle.own(
    'ops',
    await startOpsServer({
      host: config.HTTP_HOST,
      port: config.OPS_PORT,
      readiness: {
        database: () => databaseReady(deps.pool),
        clients: () => deps.directory.readiness(),
        events: () => running.groupReady(),
      },
    }),
  );
  return { logger, httpPort, opsPort };
}
