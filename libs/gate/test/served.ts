import { readConfig } from '@kontoport/config';
import { openGate, type Route } from '@kontoport/gate';
import { startHttpServer } from '@kontoport/http';
import { createLogger, Lifecycle } from '@kontoport/lifecycle';
import { commonConfig } from '@kontoport/service/common-config';

const logger = createLogger({ service: 'test', level: 'silent' });

/** A route list behind a real gate, as a service would serve it. */
export async function serve(options: {
  routes: readonly Route[];
  env: Record<string, string>;
  prefixes?: readonly string[];
  drainLimitMs?: number;
}) {
  const { routes, env, prefixes = [], drainLimitMs = 8_000 } = options;
  const lifecycle = new Lifecycle();
  const gate = await openGate({ service: 'test', config: readConfig(commonConfig, env), logger, lifecycle });
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    routes,
    gate,
    logger,
    prefixes,
    drainLimitMs,
  });
  lifecycle.own('http', server);
  return {
    port: server.port,
    origin: `http://127.0.0.1:${server.port}`,
    gate,
    close: () => lifecycle.close(logger),
  };
}
