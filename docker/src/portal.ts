import { readConfig } from '@kontoport/config';
import { interfaceRoutes, startHttpServer } from '@kontoport/http';
import { createLogger, startOpsServer } from '@kontoport/lifecycle';
import { type Service, shellOf } from '@kontoport/service';
import { commonConfig } from '@kontoport/service/common-config';

const { ENVIRONMENT, HTTP_HOST, HTTP_PORT, OPS_PORT, PUBLIC_URLS, LOG_LEVEL } = commonConfig;
const { BRAND_NAME, BRAND_COLOR, BRAND_LOGO } = commonConfig;
const config = {
  ENVIRONMENT,
  HTTP_HOST,
  HTTP_PORT,
  OPS_PORT,
  PUBLIC_URLS,
  BRAND_NAME,
  BRAND_COLOR,
  BRAND_LOGO,
  LOG_LEVEL,
};

const routes = (environment: 'sandbox' | 'production') =>
  interfaceRoutes({
    address: 'base_url',
    environment,
    load: () => import('@kontoport/proto/openapi/account-and-payment', { with: { type: 'json' } }),
  });

/** The pages for developers alone, without callers to authenticate, database and other services. */
export const portal: Service<undefined> = {
  name: 'portal',
  entryPoints: () => ({ routes: { base_url: routes('sandbox') } }),
  async start({ env, lifecycle, lastCallMs }) {
    const settings = readConfig(config, env);
    const { HTTP_HOST: host, HTTP_PORT: port, OPS_PORT: ops } = settings;
    const logger = createLogger({ service: 'portal', level: settings.LOG_LEVEL });
    const opsServer = await startOpsServer({ service: 'portal', host, port: ops, readiness: {} });
    lifecycle.own('ops server', opsServer);
    const server = await startHttpServer({
      host,
      port,
      routes: routes(settings.ENVIRONMENT),
      gate: { authenticate: async () => ({ principal: {} }) },
      logger,
      shell: shellOf(settings),
      lastCallMs,
    });
    lifecycle.own('http server', server);
    return {
      logger,
      addresses: { base_url: `http://${host}:${server.port}` },
      grpcPort: undefined,
      opsPort: opsServer.port,
      deps: undefined,
    };
  },
};
