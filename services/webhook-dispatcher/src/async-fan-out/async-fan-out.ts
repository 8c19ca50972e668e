import { type Logger, Loop } from '@kontoport/lifecycle';
import type { QueueToClaim } from '../deliveries/delivery.model.ts';
import type { Db } from '../gen/db.ts';
import { fanOutDeferred, nextOrganization } from './async-fan-out.repository.ts';

/** Another process may have deferred events, or died during a step. */
const LOOK_MS = 1_000;
/** While other processes hold the deferred events. */
const PAUSE_MS = 20;
/** Part of the time that steps may take: new events have priority at the database. */
const PART = 1 / 2;
/** Keeps each step short. */
const DELIVERIES_OF_A_STEP = 1_000;
const RETRY_MS = { first: 250, longest: 10_000 };

/** Makes deferred deliveries in steps, round-robin by organization (ADR-0034). */
export function asyncFanOut(deps: {
  db: { delivery: Db };
  dispatcher: { wake(queues: readonly QueueToClaim[]): void };
  logger: Logger;
}): Loop {
  const { db, dispatcher, logger } = deps;
  let last = '';
  return new Loop({
    name: 'deferred deliveries',
    everyMs: LOOK_MS,
    retryMs: RETRY_MS,
    async work() {
      const started = performance.now();
      const organization = await nextOrganization(db.delivery, last);
      if (organization === undefined) return LOOK_MS;
      last = organization;
      const { events, queues } = await fanOutDeferred(db.delivery, {
        organization,
        most: DELIVERIES_OF_A_STEP,
      });
      dispatcher.wake(queues);
      return events === 0 ? PAUSE_MS : (performance.now() - started) * (1 / PART - 1);
    },
    logger,
  });
}
