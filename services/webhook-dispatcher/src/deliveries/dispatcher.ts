import type { ClientDirectory } from '@kontoport/client-directory';
import type { SealingKeys } from '@kontoport/database';
import type { GuardedAgent } from '@kontoport/egress';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import type { LaneToClaim, NewDeliveries } from './delivery.model.ts';
import { dropPending, recordOutcomes } from './delivery.repository.ts';
import { LaneWalk } from './lane.repository.ts';
import { Lanes } from './lanes.ts';
import { createOutcomeWriter } from './outcome-writer.ts';
import type { RetrySchedule } from './retry-schedule.model.ts';
import { Sender } from './send-due.ts';

/** How late a retry, or work that another process left, is noticed at most. */
const POLL_MS = 200;
/** A quarter of the lease: some may fail. */
const HEARTBEAT_MS = 1_500;
const SWEEP_MS = 1_000;
const SWEEP_ROWS = 5_000;
const PAUSE_MS = 5_000;

/** Sends what is due, as long as its loops run. */
export interface Dispatcher {
  /** In the order in which they are started; the last one is closed first. */
  readonly loops: readonly Loop[];
  /** These lanes have something new to send. */
  wake(lanes: readonly LaneToClaim[]): void;
  /**
   * This is new. What a lane in our hands can take of it goes out without being looked for.
   * @param since when the statement that stored it began, in milliseconds of the monotonic clock
   */
  offer(stored: readonly NewDeliveries[], since: number): void;
  /** The subscription was deleted: none of its deliveries is sent any more. */
  stop(subscriptionId: string): void;
  /** The client was deleted. */
  stopClient(clientId: string): void;
}

export interface DispatcherOptions {
  db: Db;
  agent: GuardedAgent;
  directory: Pick<ClientDirectory, 'find'>;
  secretsKeys: SealingKeys;
  schedule: RetrySchedule;
  /** Part of what is free, lanes and POSTs in flight, that a client, and an organization, may have; 0 < share ≤ 1. */
  share: number;
  /** Milliseconds of nothing but failures after which a subscription pauses. */
  pauseAfterMs: number;
  logger: Logger;
}

/**
 * Makes the dispatcher. A lane, which is one subscription, is claimed by one process at a time under a lease; its
 * deliveries are fetched ahead in batches, sent as far as its in-flight limit allows, and their outcomes are written
 * in batches. At least once: what was sent but not recorded is sent again, with the same idempotencyKey.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, agent, directory, secretsKeys, schedule, share, pauseAfterMs } = options;
  const logger = options.logger.child({ component: 'dispatcher' });
  const lanes = new Lanes({ db, secretsKeys, directory, share, pauseAfterMs, logger });
  const outcomes = createOutcomeWriter({
    record: (recorded) => recordOutcomes(db, recorded),
    onWritten: (outcome, taken) => lanes.settle(outcome, taken),
    logger,
  });
  const sender = new Sender({
    agent,
    secretsKeys,
    directory,
    schedule,
    share,
    outcomes,
    onHungry: () => rounds.wake(),
    logger,
  });

  const rounds = new Loop({
    name: 'deliveries',
    everyMs: POLL_MS,
    async work() {
      await lanes.claim();
      await lanes.fill();
      for (const lane of lanes.held()) sender.sendDue(lane);
      await lanes.releaseIdle();
    },
    finish: () => sender.close(),
    logger,
  });
  // It outlives the rounds: what is in flight at the end is recorded under a lease, too.
  const heartbeat = new Loop({
    name: 'leases of lanes',
    everyMs: HEARTBEAT_MS,
    work: () => lanes.renew(),
    finish: () => lanes.releaseAll(),
    logger,
  });
  const walk = new LaneWalk();
  const sweep = new Loop({
    name: 'deliveries of deleted subscriptions',
    everyMs: SWEEP_MS,
    async work() {
      const dropped = await dropPending(db, SWEEP_ROWS, walk);
      if (dropped > 0) logger.info({ dropped }, 'pending deliveries of deleted subscriptions dropped');
      return dropped < SWEEP_ROWS ? SWEEP_MS : 0;
    },
    logger,
  });

  const pauses = new Loop({
    name: 'subscriptions that fail',
    everyMs: PAUSE_MS,
    work: () => lanes.pauseFailing(),
    logger,
  });

  const wake = (fresh: readonly LaneToClaim[]): void => {
    if (fresh.length === 0) return;
    lanes.expectWork(fresh);
    rounds.wake();
  };

  return {
    loops: [sweep, pauses, heartbeat, rounds],
    wake,
    offer(stored, since) {
      const { taken, left } = lanes.offer(stored, since);
      for (const lane of taken) sender.sendDue(lane);
      wake(left);
    },
    stop(subscriptionId) {
      lanes.stop(subscriptionId);
      sweep.wake();
    },
    stopClient: (clientId) => lanes.stopClient(clientId),
  };
}
