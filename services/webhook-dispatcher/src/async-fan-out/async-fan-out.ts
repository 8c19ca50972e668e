import { type Logger, Loop } from '@kontoport/lifecycle';
import type { QueueToClaim } from '../deliveries/delivery.model.ts';
import type { Db } from '../gen/db.ts';
import { fanOutDeferred, nextOrganization } from './async-fan-out.repository.ts';

/** Another process may have deferred something, or have been killed in the midst of it. */
const LOOK_MS = 1_000;
/** As long as others have in hand what is deferred. */
const PAUSE_MS = 20;
/** Part of the time that steps may take: what is fresh comes first at the database, too. */
const PART = 1 / 2;
/** So that nobody waits long for a step. */
const DELIVERIES_OF_A_STEP = 1_000;
const RETRY_MS = { first: 250, longest: 10_000 };

/** Makes the deliveries that were deferred, a step at a time, the organizations in turn (ADR-0034). */
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
