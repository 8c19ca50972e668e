import { ConfigError } from './config.ts';
import { Lifecycle } from './lifecycle.ts';
import { createLogger, describeError, type Logger } from './logger.ts';

const DRAIN_LIMIT_MS = 25_000;

/**
 * The life of a service process: start, run until SIGTERM or SIGINT, drain, exit.
 * A refused configuration prints every fault and exits with 1 before anything is opened.
 */
export async function runService(
  service: string,
  start: (context: { lifecycle: Lifecycle; env: NodeJS.ProcessEnv }) => Promise<{ logger: Logger }>,
): Promise<void> {
  const lifecycle = new Lifecycle();
  let logger = createLogger({ service });
  let stopping: Promise<never> | undefined;
  const stop = (reason: string, code: number): Promise<never> =>
    (stopping ??= (async () => {
      logger.info({ reason }, 'stopping');
      setTimeout(() => {
        logger.error({ limitMs: DRAIN_LIMIT_MS }, 'draining took too long');
        process.exit(1);
      }, DRAIN_LIMIT_MS).unref();
      await lifecycle.close(logger);
      logger.info('stopped');
      return process.exit(code);
    })());

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, 0));
  process.on('uncaughtException', (error) => {
    logger.fatal({ error: describeError(error) }, 'uncaught exception');
    void stop('uncaughtException', 1);
  });
  process.on('unhandledRejection', (error) => {
    logger.fatal({ error: describeError(error) }, 'unhandled rejection');
    void stop('unhandledRejection', 1);
  });

  try {
    ({ logger } = await start({ lifecycle, env: process.env }));
    logger.info('ready');
  } catch (error) {
    if (error instanceof ConfigError) process.stderr.write(`${service}: ${error.message}\n`);
    else logger.fatal({ error: describeError(error) }, 'start failed');
    await stop('start failed', 1);
  }
}
