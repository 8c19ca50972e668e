// node scripts/dev/edge/src/main.ts: ends mutual TLS in front of the services, as an ingress does in production.
import { createLogger, flushLogs, Lifecycle } from '@kontoport/lifecycle';
import { runEdge } from './run-edge.ts';

const lifecycle = new Lifecycle();
let logger = createLogger({ service: 'edge' });

async function stop(code: number): Promise<never> {
  await lifecycle.close(logger);
  await flushLogs();
  return process.exit(code);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(0));
try {
  const { edge, opsPort, logger: own } = await runEdge({ env: process.env, lifecycle });
  logger = own;
  logger.info({ urls: edge.urls, opsPort }, 'ready');
} catch (error) {
  process.stderr.write(`edge: ${error instanceof Error ? error.message : String(error)}\n`);
  await stop(1);
}
