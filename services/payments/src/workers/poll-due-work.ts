import { KeyedCounter } from '@kontoport/fairness';
import { describeError, type Logger, Loop } from '@kontoport/lifecycle';
import type { DueClaim } from '../domain/ports/payment-store.ts';

const POLL_MS = 50;

/** Work that a loop claims when it is due. */
export interface DueWork<Item> {
  /** Name in logs. */
  name: string;
  /** Most items in work at a time. */
  inFlight: number;
  /** Most of one organization, so that it cannot hold up the others. */
  inFlightPerOrganization: number;
  /** Milliseconds until an unfinished claim expires; longer than any work takes. */
  leaseMs: number;
  claim: (claim: DueClaim) => Promise<Item[]>;
  /** Handles one item; after a failure the claim expires and the item is claimed again. */
  work: (item: Item) => Promise<void>;
  logger: Logger;
}

/** Polls for due work and handles the items concurrently. Closing waits for the items in work. */
export function pollDueWork<Item extends { organizationIdentifier: string }>(due: DueWork<Item>): Loop {
  const { name, leaseMs, logger } = due;
  const running = new Set<Promise<void>>();
  const inFlight = new KeyedCounter();
  const begin = (item: Item): void => {
    inFlight.add(item.organizationIdentifier, 1);
    const working = due
      .work(item)
      .catch((error: unknown) =>
        logger.error({ error: describeError(error), loop: name }, 'outcome not stored'),
      )
      .finally(() => {
        inFlight.add(item.organizationIdentifier, -1);
        running.delete(working);
        loop.wake();
      });
    running.add(working);
  };
  const loop = new Loop({
    name,
    everyMs: POLL_MS,
    work: async () => {
      const limits = {
        limit: due.inFlight - running.size,
        limitPerOrganization: due.inFlightPerOrganization,
        leaseMs,
      };
      for (const item of await due.claim({ now: new Date(), inFlight, ...limits })) begin(item);
    },
    finish: async () => void (await Promise.all(running)),
    logger,
  });
  return loop;
}
