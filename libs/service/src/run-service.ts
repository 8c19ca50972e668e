import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '@kontoport/config';
import { createLogger, describeError, flushLogs, Lifecycle } from '@kontoport/lifecycle';
import { shutdownTelemetry } from '@kontoport/telemetry';
import type { Service } from './define-service.ts';

/** Bounds of the shutdown, in milliseconds. */
export interface StopLimits {
  /** The whole shutdown; then the process exits (default 25,000). */
  drainMs?: number;
  /** One part; then the next one is closed (default 12,000). */
  closeMs?: number;
}

const DRAIN_LIMIT_MS = 25_000;
const START_LIMIT_MS = 5_000;

/**
 * Runs a service process: start, run until SIGTERM or SIGINT, drain, exit. A stop during the start finishes the current
 * step and closes what is open. A refused configuration prints every fault and exits with 1.
 */
export async function runService(service: Service, limits: StopLimits = {}): Promise<void> {
  const { drainMs = DRAIN_LIMIT_MS, closeMs } = limits;
  const lifecycle = new Lifecycle(closeMs === undefined ? {} : { closeLimitMs: closeMs });
  const stopped = new AbortController();
  let logger = createLogger({ service: service.name });
  let starting: Promise<unknown> = Promise.resolve();
  let stopping: Promise<never> | undefined;
  const stop = (reason: string, code: number): Promise<never> =>
    (stopping ??= (async () => {
      logger.info({ reason }, 'stopping');
      setTimeout(() => {
        logger.error({ limitMs: drainMs }, 'draining took too long');
        void flushLogs().then(() => process.exit(1));
      }, drainMs).unref();
      stopped.abort();
      await Promise.race([starting, pause(START_LIMIT_MS, undefined, { ref: false })]);
      await lifecycle.close(logger);
      await shutdownTelemetry();
      logger.info('stopped');
      await flushLogs();
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

  const start = service.start({ env: process.env, lifecycle, signal: stopped.signal });
  starting = start.catch(() => {});
  try {
    const { deps: _deps, ...started } = await start;
    ({ logger } = started);
    const { addresses, grpcPort, opsPort } = started;
    if (stopping === undefined) logger.info({ addresses, grpcPort, opsPort }, 'ready');
  } catch (error) {
    if (stopping !== undefined) return;
    if (!(error instanceof ConfigError)) return stop('start failed', 1);
    // Printed, not logged: the service did not run.
    process.stderr.write(`${service.name}: ${error.message}\n`);
    await lifecycle.close(logger);
    await flushLogs();
    process.exit(1);
  }
}
