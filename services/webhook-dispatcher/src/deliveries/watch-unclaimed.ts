import type { Tx } from '@kontoport/database';
import { type Logger, Loop } from '@kontoport/lifecycle';
import { observableGauge } from '@kontoport/telemetry';
import { type OrganizationQueues, StarvedOrganizations } from './starved-organizations.model.ts';
import { inspectQueues, QueueWalk } from './subscription-queue.repository.ts';

const LOOK_MS = 5_000;
/** A pause that ends makes old deliveries due, for the moment until they are claimed. */
const LOOKS_IN_A_ROW = 2;

/** The result of the last walk over all queues; undefined until the first has ended. */
let longestMs: number | undefined;

observableGauge(
  {
    name: 'kontoport.webhook.oldest_due.seconds',
    help: 'Time for which the oldest delivery that no replica has claimed has been due; 0 if there is none.',
  },
  (observe) => {
    if (longestMs !== undefined) observe(longestMs / 1_000);
  },
);

/** The result of the same walk; undefined until the first has ended. */
let starvedMs: number | undefined;

observableGauge(
  {
    name: 'kontoport.webhook.organization_starved.seconds',
    help: 'Longest time for which an organization has had due deliveries while no replica claimed any of its subscriptions; 0 if there is none.',
  },
  (observe) => {
    if (starvedMs !== undefined) observe(starvedMs / 1_000);
  },
);

/**
 * Reads one delivery of each queue, and logs when one stays due and unclaimed for longer than `limitMs`, and when that is over. The
 * cause is too few processes, or processes that no longer claim. Deliveries of a slow receiver are claimed.
 */
export function watchUnclaimed(options: {
  db: Tx;
  /** The organization of a client; a client without one is on its own. */
  organizationOf: (clientId: string) => string | undefined;
  /** Milliseconds. */
  limitMs: number;
  logger: Logger;
  /** Over all queues; its parts make one value. */
  walk?: QueueWalk;
}): Loop {
  const { db, organizationOf, limitMs, walk = new QueueWalk() } = options;
  const logger = options.logger.child({ component: 'dispatcher' });
  const unserved = new StarvedOrganizations();
  let soFar = new Map<string, OrganizationQueues>();
  let above = 0;

  const judge = (milliseconds: number): void => {
    const isSaid = above >= LOOKS_IN_A_ROW;
    above = milliseconds > limitMs ? above + 1 : 0;
    const figures = { longestMs: Math.round(milliseconds), limitMs };
    if (above === LOOKS_IN_A_ROW) logger.error(figures, 'due deliveries are unclaimed');
    if (isSaid && above === 0) logger.info(figures, 'due deliveries are claimed in time again');
  };

  return new Loop({
    name: 'unclaimed deliveries',
    everyMs: LOOK_MS,
    async work() {
      for (const { clientId, unclaimedMs, isHeld } of await inspectQueues(db, walk)) {
        const organization = organizationOf(clientId) ?? clientId;
        const known = soFar.get(organization);
        soFar.set(organization, {
          unclaimedMs: Math.max(unclaimedMs, known?.unclaimedMs ?? 0),
          isHeld: isHeld || known?.isHeld === true,
        });
      }
      // Else queues are left for the next statements.
      if (!walk.isAtBeginning) return 0;
      longestMs = [...soFar.values()].reduce((most, { unclaimedMs }) => Math.max(most, unclaimedMs), 0);
      starvedMs = unserved.look(soFar, performance.now());
      soFar = new Map();
      judge(longestMs);
      return LOOK_MS;
    },
    finish: async () => {
      longestMs = undefined;
      starvedMs = undefined;
    },
    logger,
  });
}
