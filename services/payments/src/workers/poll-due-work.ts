import { KeyedCounter } from '@kontoport/fairness';
import { describeError, type Logger, Loop } from '@kontoport/lifecycle';
import type { DueClaim } from '../domain/ports/payment-store.ts';

const POLL_MS = 50;

/** What is worked off when it is due. */
export interface DueWork<Item> {
  /** As it stands in logs. */
  name: string;
  /** How many are worked on at a time. */
  inFlight: number;
  /** How many of one organization, so that it cannot hold up the others. */
  inFlightPerOrganization: number;
  /** Milliseconds after which a claim counts as lost; longer than any work takes. */
  leaseMs: number;
  claim: (claim: DueClaim) => Promise<Item[]>;
  /** Works on one; where it fails the claim runs out, and the work is repeated. */
  work: (item: Item) => Promise<void>;
  logger: Logger;
}

/** Claims what is due, again and again, and works on it side by side. Closing waits for the work that began. */
export function pollDueWork<Item extends { organizationIdentifier: string }>(due: DueWork<Item>): Loop {
  const { name, leaseMs, logger } = due;
  const running = new Set<Promise<void>>();
  const inFlight = new KeyedCounter();
  const begin = (item: Item): void => {
    inFlight.add(item.organizationIdentifier, 1);
    const working = due
      .work(item)
      .catch((error: unknown) =>
        logger.error({ error: describeError(error), loop: name }, 'outcome not kept'),
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
