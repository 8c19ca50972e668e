// node scripts/dev/bank/src/main.ts: a small bank with all that Kontoport needs in production.
import { createLogger, flushLogs, Lifecycle } from '@kontoport/lifecycle';
import { runBank } from './run-bank.ts';

const lifecycle = new Lifecycle();
let logger = createLogger({ service: 'bank' });

async function stop(code: number): Promise<never> {
  await lifecycle.close(logger);
  await flushLogs();
  return process.exit(code);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(0));
try {
  const { logger: own, ...opened } = await runBank({ env: process.env, lifecycle });
  logger = own;
  logger.info(opened, 'ready');
} catch (error) {
  process.stderr.write(`bank: ${error instanceof Error ? error.message : String(error)}\n`);
  await stop(1);
}
