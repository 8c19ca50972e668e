import { startGrpcServer } from '@kontoport/grpc';
import { startHttpServer } from '@kontoport/http';
import { type Lifecycle, type Logger, startOpsServer } from '@kontoport/runtime';
import { app } from './app.ts';
import { openDeps } from './deps.ts';
import type { PaymentTypes } from './payment-types/payment-types.ts';
import { settlePayments } from './settlement/settle-payments.ts';

/** Starts the service; `lifecycle` closes it in reverse order. @throws ConfigError */
export async function start(options: {
  env: Record<string, string | undefined>;
  lifecycle: Lifecycle;
  paymentTypes?: PaymentTypes;
}): Promise<{ logger: Logger; httpPort: number; grpcPort: number; opsPort: number }> {
  const { lifecycle } = options;
  const { settings, deps, directory } = await openDeps(options);
  const { logger, gate } = deps;
  const { routes, rpcs } = app(deps);
  const host = settings.HTTP_HOST;

  const ops = lifecycle.own(
    'ops server',
    await startOpsServer({
      host,
      port: settings.OPS_PORT,
      readiness: { 'client directory': () => directory.readiness() },
    }),
  );
  lifecycle.own('settlement', settlePayments(deps));
  const grpc = lifecycle.own('grpc server', await startGrpcServer({ host, port: settings.GRPC_PORT, rpcs }));
  const http = lifecycle.own(
    'http server',
    await startHttpServer({ host, port: settings.HTTP_PORT, routes, gate, logger, prefixes: ['/aisp-pisp'] }),
  );
  return { logger, httpPort: http.port, grpcPort: grpc.port, opsPort: ops.port };
}
