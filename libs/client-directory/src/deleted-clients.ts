import { type Logger, Loop } from '@kontoport/lifecycle';
import type { ClientDirectory } from './client-directory.ts';

const RETRY_MS = 1_000;

/**
 * Handles every client that the directory reports as deleted, and retries until `handle` has succeeded. The directory repeats
 * its reports after a start, so no deletion is lost while a service is down or after a crash.
 */
export function deletedClientsLoop(options: {
  name: string;
  directory: Pick<ClientDirectory, 'onDeleted'>;
  /** Clients per call: after a start the directory reports every client that was deleted within weeks. */
  batch: number;
  /** @returns whether these clients are done; otherwise they are handled again at once */
  handle: (clientIds: string[]) => Promise<boolean>;
  logger: Logger;
}): Loop {
  const { name, directory, batch, handle, logger } = options;
  const reported = new Set<string>();
  const loop = new Loop({
    name,
    everyMs: RETRY_MS,
    async work() {
      // One message reports many clients. Wait for all of them, then handle them together.
      await Promise.resolve();
      if (reported.size === 0) return undefined;
      const clientIds = [...reported].slice(0, batch);
      if (await handle(clientIds)) for (const clientId of clientIds) reported.delete(clientId);
      return reported.size > 0 ? 0 : undefined;
    },
    logger,
  });
  directory.onDeleted((clientId) => {
    reported.add(clientId);
    loop.wake();
  });
  return loop;
}
