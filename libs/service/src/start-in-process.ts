import { createLogger, Lifecycle } from '@kontoport/lifecycle';
import type { Service } from './define-service.ts';
import type { StartContext, Started } from './start-service.ts';

/** A service that runs in this process. */
export interface InProcess<Deps> extends Started<Deps> {
  /** Stops the service. */
  close(): Promise<void>;
}

/**
 * Starts a service in this process, for tests. A failed start closes what it opened.
 * @throws ConfigError naming every variable that is missing or malformed
 */
export async function startInProcess<Deps>(
  service: Service<Deps>,
  env: StartContext['env'],
): Promise<InProcess<Deps>> {
  const lifecycle = new Lifecycle();
  try {
    // Tests have no edge that needs a last call.
    const started = await service.start({ env, lifecycle, lastCallMs: 0 });
    return { ...started, close: () => lifecycle.close(started.logger) };
  } catch (error) {
    await lifecycle.close(createLogger({ service: service.name, level: 'error' }));
    throw error;
  }
}
