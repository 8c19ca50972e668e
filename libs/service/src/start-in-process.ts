import { createLogger, Lifecycle } from '@kontoport/lifecycle';
import type { Service } from './define-service.ts';
import type { StartContext, Started } from './start-service.ts';

/** A service that runs in this process, with what it opened. */
export interface InProcess<Deps> extends Started<Deps> {
  /** Stops it in the one order. */
  close(): Promise<void>;
}

/**
 * Starts a service in this process, for tests; what a failed start had opened is closed again.
 * @throws ConfigError naming every variable that is missing or malformed
 */
export async function startInProcess<Deps>(
  service: Service<Deps>,
  env: StartContext['env'],
): Promise<InProcess<Deps>> {
  const lifecycle = new Lifecycle();
  try {
    // No edge is in front of it, which could be told; and tests have many to stop.
    const started = await service.start({ env, lifecycle, lastCallMs: 0 });
    return { ...started, close: () => lifecycle.close(started.logger) };
  } catch (error) {
    await lifecycle.close(createLogger({ service: service.name, level: 'error' }));
    throw error;
  }
}
