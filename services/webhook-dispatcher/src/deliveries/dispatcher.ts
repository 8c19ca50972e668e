import type { ClientDirectory } from '@kontoport/client-directory';
import type { SealingKeys } from '@kontoport/database';
import type { GuardedAgent } from '@kontoport/egress';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import type { NewDeliveries, QueueToClaim } from './delivery.model.ts';
import { dropPending, recordOutcomes } from './delivery.repository.ts';
import { createOutcomeWriter } from './outcome-writer.ts';
import type { RetrySchedule } from './retry-schedule.model.ts';
import { Sender } from './sender.ts';
import { QueueWalk } from './subscription-queue.repository.ts';
import { SubscriptionQueues } from './subscription-queues.ts';

/** Maximum delay until a due retry, or the work of a dead process, is found. */
const POLL_MS = 200;
/** A quarter of the lease: some may fail. */
const HEARTBEAT_MS = 1_500;
const SWEEP_MS = 1_000;
const SWEEP_ROWS = 5_000;
const PAUSE_MS = 5_000;

/** Sends due deliveries while its loops run. */
export interface Dispatcher {
  /** In the order in which they are started; the last one is closed first. */
  readonly loops: readonly Loop[];
  /** Announces that these queues have new deliveries. */
  wake(queues: readonly QueueToClaim[]): void;
  /**
   * Hands over new deliveries. Those of queues that are held are sent without a fetch.
   * @param since when the statement that stored it began, in milliseconds of the monotonic clock
   */
  offer(stored: readonly NewDeliveries[], since: number): void;
  /** Stops the deliveries of a subscription that was deleted. */
  stop(subscriptionId: string): void;
  /** Stops the deliveries of a client that was deleted. */
  stopClient(clientId: string): void;
}

export interface DispatcherOptions {
  db: Db;
  agent: GuardedAgent;
  directory: Pick<ClientDirectory, 'find'>;
  secretsKeys: SealingKeys;
  schedule: RetrySchedule;
  /** Part of what is free, queues and POSTs in flight, that a client, and an organization, may have; 0 < share ≤ 1. */
  share: number;
  /** Milliseconds of nothing but failures after which a subscription pauses. */
  pauseAfterMs: number;
  logger: Logger;
}

/**
 * Makes the dispatcher. One process at a time claims the queue of a subscription under a lease. It fetches deliveries ahead in
 * batches, sends them within the in-flight limit, and writes their outcomes in batches. At least once: what was sent but not recorded is sent again, with the same idempotencyKey.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, agent, directory, secretsKeys, schedule, share, pauseAfterMs } = options;
  const logger = options.logger.child({ component: 'dispatcher' });
  const queues = new SubscriptionQueues({ db, secretsKeys, directory, share, pauseAfterMs, logger });
  const outcomes = createOutcomeWriter({
    record: (recorded) => recordOutcomes(db, recorded),
    onWritten: (outcome, taken) => queues.settle(outcome, taken),
    logger,
  });
  const sender = new Sender({
    agent,
    secretsKeys,
    directory,
    schedule,
    share,
    outcomes,
    onCapacity: () => rounds.wake(),
    logger,
  });

  const rounds = new Loop({
    name: 'deliveries',
    everyMs: POLL_MS,
    async work() {
      await queues.claim();
      await queues.fill();
      for (const queue of queues.held()) sender.sendDue(queue);
      await queues.releaseIdle();
    },
    finish: () => sender.close(),
    logger,
  });
  // It outlives the rounds: outcomes of attempts in flight are recorded under a lease, too.
  const heartbeat = new Loop({
    name: 'leases of queues',
    everyMs: HEARTBEAT_MS,
    work: () => queues.renew(),
    finish: () => queues.releaseAll(),
    logger,
  });
  const walk = new QueueWalk();
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
    work: () => queues.pauseFailing(),
    logger,
  });

  const wake = (fresh: readonly QueueToClaim[]): void => {
    if (fresh.length === 0) return;
    queues.expectWork(fresh);
    rounds.wake();
  };

  return {
    loops: [sweep, pauses, heartbeat, rounds],
    wake,
    offer(stored, since) {
      const { taken, left } = queues.offer(stored, since);
      for (const queue of taken) sender.sendDue(queue);
      wake(left);
    },
    stop(subscriptionId) {
      queues.stop(subscriptionId);
      sweep.wake();
    },
    stopClient: (clientId) => queues.stopClient(clientId),
  };
}
