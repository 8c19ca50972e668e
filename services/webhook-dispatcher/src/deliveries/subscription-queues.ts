import { randomUUID } from 'node:crypto';
import type { ClientDirectory } from '@kontoport/client-directory';
import { type SealingKeys, unseal } from '@kontoport/database';
import { FairShares, type Party, roundRobin } from '@kontoport/fairness';
import { describeError, type Logger } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { keyContext } from '../subscriptions/subscription.model.ts';
import type { ClaimedQueue, NewDeliveries, OutcomeToRecord, QueueToClaim } from './delivery.model.ts';
import { findDue } from './delivery.repository.ts';
import { type FailureStreak, MIN_FAILURES } from './failure-streak.model.ts';
import { signingKey } from './sign-body.model.ts';
import {
  claimQueues,
  findWaitingQueues,
  pauseFailing,
  QueueWalk,
  releaseQueues,
  renewLeases,
} from './subscription-queue.repository.ts';
import { SubscriptionQueue } from './subscription-queue.ts';

/** A claim that is not prolonged for this long is anybody's: after a crash, deliveries wait no longer. */
const LEASE_MS = 6_000;
/** How often retries and others' queues are looked for, and which part of the time that may take, as long as it is no longer. */
const LOOK = { everyMs: 200, part: 1 / 20, pauseMs: 2_000 };
/** A queue without work is kept this long, since the next event often follows at once. */
const LINGER_MS = 1_000;
/** A queue is kept at least this long before it makes room for another. */
const SLICE_MS = 2_000;
const MAX_QUEUES = 512;
/** SubscriptionQueues that are looked at in one round. */
const MAX_CANDIDATES = 8 * MAX_QUEUES;
/** SubscriptionQueues that make room in one round. */
const MAX_YIELDING = 64;

const isLong = ({ failures }: FailureStreak): boolean => failures >= MIN_FAILURES;

interface SubscriptionQueuesOptions {
  db: Db;
  secretsKeys: SealingKeys;
  directory: Pick<ClientDirectory, 'find'>;
  /** Part of the free queues that a client, and an organization, may have. */
  share: number;
  /** Milliseconds of nothing but failures after which a subscription pauses. */
  pauseAfterMs: number;
  logger: Logger;
}

/** A silent directory says nothing of organizations; nothing is sent then either. */
export function organizationOf(
  directory: Pick<ClientDirectory, 'find'>,
  clientId: string,
): string | undefined {
  try {
    return directory.find(clientId)?.organizationIdentifier || undefined;
  } catch {
    return undefined;
  }
}

/** The queues that this process holds: claimed, filled, prolonged and given back. */
export class SubscriptionQueues {
  readonly #options: SubscriptionQueuesOptions;
  readonly #shares: FairShares;
  readonly #queues = new Map<string, SubscriptionQueue>();
  /** SubscriptionQueues that got something new, nobody's as far as we know. */
  readonly #fresh = new Map<string, QueueToClaim>();
  readonly #walk = new QueueWalk();
  #lookAt = Number.NEGATIVE_INFINITY;
  #filledAt = Number.NEGATIVE_INFINITY;

  constructor(options: SubscriptionQueuesOptions) {
    this.#options = options;
    this.#shares = new FairShares({ max: MAX_QUEUES, share: options.share });
  }

  /** Those held at this moment. */
  held(): SubscriptionQueue[] {
    return [...this.#queues.values()];
  }

  /** These have something new. */
  expectWork(queues: readonly QueueToClaim[]): void {
    for (const fresh of queues) {
      const queue = this.#queues.get(fresh.subscriptionId);
      if (queue === undefined) this.#fresh.set(fresh.subscriptionId, fresh);
      else queue.hasMore = true;
    }
  }

  /**
   * Gives new deliveries to the queues that are in our hands, as far as these can take them.
   * @param since when the statement that stored them began
   * @returns the queues that took some, and those in which some are left to be fetched
   */
  offer(
    stored: readonly NewDeliveries[],
    since: number,
  ): { taken: SubscriptionQueue[]; left: NewDeliveries[] } {
    const taken: SubscriptionQueue[] = [];
    const left = stored.filter((made) => {
      const queue = this.#queues.get(made.subscriptionId);
      const count = queue?.offer(made, since) ?? 0;
      if (count > 0) taken.push(queue!);
      return count < made.deliveries.length;
    });
    return { taken, left };
  }

  /** Claims what got something new, and when it is time to look, whatever is due and nobody's; as far as shares allow. */
  async claim(): Promise<void> {
    const candidates = new Map(this.#fresh);
    this.#fresh.clear();
    const started = performance.now();
    if (started >= this.#lookAt) {
      for (const queue of await findWaitingQueues(this.#options.db, MAX_CANDIDATES, this.#walk))
        candidates.set(queue.subscriptionId, queue);
      const ended = performance.now();
      const pauseMs = Math.min((ended - started) / LOOK.part, LOOK.pauseMs);
      this.#lookAt = Math.max(started + LOOK.everyMs, ended + pauseMs);
    }
    for (const subscriptionId of this.#queues.keys()) candidates.delete(subscriptionId);
    if (candidates.size > 0) await this.#claimInTurn([...candidates.values()]);
  }

  async #claimInTurn(candidates: readonly QueueToClaim[]): Promise<void> {
    const chosen = new Map<string, Party>();
    const refused: Party[] = [];
    const inOrder = roundRobin(candidates, {
      keyOf: ({ clientId }) => clientId,
      heldBy: (clientId) => this.#shares.ofClient(clientId),
    });
    for (const { subscriptionId, clientId } of inOrder) {
      const party = this.#partyOf(clientId);
      if (this.#shares.boundOf(party) === undefined) {
        this.#shares.acquire(party);
        chosen.set(subscriptionId, party);
      } else refused.push(party);
    }
    this.#ensurePartitions(refused);
    if (chosen.size === 0) return;
    const claimId = randomUUID();
    const leaseUntil = performance.now() + LEASE_MS;
    try {
      const claimed = await claimQueues(this.#options.db, {
        subscriptionIds: [...chosen.keys()],
        claimId,
        leaseMs: LEASE_MS,
      });
      for (const queue of claimed) {
        const party = chosen.get(queue.subscriptionId)!;
        const opened = this.#open({ queue, party, claimId, leaseUntil });
        if (opened === undefined) continue;
        this.#queues.set(queue.subscriptionId, opened);
        chosen.delete(queue.subscriptionId);
      }
    } finally {
      for (const party of chosen.values()) this.#shares.release(party);
    }
  }

  /** Has a queue that was held long enough go for each one that found no place, among those with which it shares. */
  #ensurePartitions(refused: readonly Party[]): void {
    const since = performance.now() - SLICE_MS;
    const old = this.held().filter(({ claimedAt, isEnding }) => claimedAt < since && !isEnding);
    for (const party of refused.slice(0, MAX_YIELDING)) {
      const bound = this.#shares.boundOf(party);
      const at = old.findIndex(
        (queue) =>
          bound === 'total' ||
          (bound === 'client' && queue.party.clientId === party.clientId) ||
          (bound === 'organization' && queue.party.organization === party.organization),
      );
      if (at !== -1) old.splice(at, 1)[0]!.yieldSlot();
    }
  }

  /** Fetches due deliveries for the queues that have too few in hand: where more is expected, and now and then for all. */
  async fill(): Promise<void> {
    const now = performance.now();
    const isTime = now - this.#filledAt >= LOOK.everyMs;
    if (isTime) this.#filledAt = now;
    const underfilled = this.held()
      .filter((queue) => isTime || queue.hasMore)
      .map((queue) => ({ queue, wanted: queue.wanted(now) }))
      .filter(({ wanted }) => wanted > 0);
    if (underfilled.length === 0) return;
    for (const { queue } of underfilled) queue.beginFetch();
    const due = await findDue(this.#options.db, {
      queues: underfilled.map(({ queue: { subscriptionId, claimId, callbackUrl }, wanted }) => ({
        subscriptionId,
        claimId,
        callbackUrl,
        wanted,
      })),
      busy: underfilled.flatMap(({ queue: { subscriptionId, busy } }) =>
        [...busy].map((eventId) => ({ subscriptionId, eventId })),
      ),
    }).catch((error: unknown) => {
      for (const { queue } of underfilled) queue.fetchFailed(performance.now());
      throw error;
    });
    const byQueue = Map.groupBy(due, ({ subscriptionId }) => subscriptionId);
    const fetch = { askedAt: now, now: performance.now() };
    for (const { queue, wanted } of underfilled)
      queue.add(byQueue.get(queue.subscriptionId) ?? [], { wanted, ...fetch });
  }

  /** Prolongs the leases; a queue that is another's by now is dropped. */
  async renew(): Promise<void> {
    const held = this.held();
    if (held.length === 0) return;
    const leaseUntil = performance.now() + LEASE_MS;
    const now = performance.now();
    const told = held.map((queue) => ({ queue, streak: queue.streak }));
    const kept = await renewLeases(
      this.#options.db,
      held.map((queue) => ({
        subscriptionId: queue.subscriptionId,
        claimId: queue.claimId,
        ...queue.receiverState(now),
      })),
      LEASE_MS,
    );
    for (const queue of held)
      if (kept.has(queue.subscriptionId)) queue.leaseUntil = leaseUntil;
      else if (this.#queues.get(queue.subscriptionId) === queue) this.#drop(queue);
    // A streak of which the database knows, and which no success has ended meanwhile.
    const failing = told.filter(
      ({ queue, streak }) => !queue.isRevoked && queue.streak.since === streak.since && isLong(streak),
    );
    if (failing.length > 0) await this.pauseFailing(failing.map(({ queue }) => queue));
  }

  /** Pauses what has failed for long: queues that nobody holds, and these. */
  async pauseFailing(failing: readonly SubscriptionQueue[] = []): Promise<void> {
    const { db, pauseAfterMs: afterMs, logger } = this.#options;
    const paused = await pauseFailing(db, { afterMs, minFailures: MIN_FAILURES, claims: failing });
    for (const subscriptionId of paused) {
      logger.info({ subscriptionId }, 'subscription paused, nothing but failures');
      this.stop(subscriptionId);
    }
  }

  /** Gives queues back in which nothing happened for a while, and at once those in which nothing more will. */
  async releaseIdle(): Promise<void> {
    const now = performance.now();
    const idle = this.held().filter(
      (queue) =>
        queue.busy.size === 0 &&
        queue.inFlight === 0 &&
        (queue.isEnding || (!queue.hasMore && now - queue.activeAt > LINGER_MS)),
    );
    await this.#release(idle);
  }

  /** Gives all queues back. */
  async releaseAll(): Promise<void> {
    await this.#release(this.held());
  }

  async #release(queues: readonly SubscriptionQueue[]): Promise<void> {
    if (queues.length === 0) return;
    const now = performance.now();
    const ends = queues.map((queue) => ({
      subscriptionId: queue.subscriptionId,
      claimId: queue.claimId,
      ...queue.release(now, Math.random()),
    }));
    for (const queue of queues) this.#drop(queue);
    await releaseQueues(this.#options.db, ends);
  }

  /** An outcome is in the database, or could not be taken because its claim was lost. */
  settle(outcome: OutcomeToRecord, taken: boolean): void {
    const queue = this.#queues.get(outcome.subscriptionId);
    if (queue?.claimId !== outcome.claimId) return;
    queue.busy.delete(outcome.eventId);
    if (outcome.pause) this.#drop(queue);
    // It may be another's, or the delivery has moved on: nothing more is sent, and the queue goes back once it is empty.
    else if (!taken) queue.revoke();
  }

  /** Sends no more for this subscription. */
  stop(subscriptionId: string): void {
    const queue = this.#queues.get(subscriptionId);
    if (queue !== undefined) this.#drop(queue);
  }

  /** Sends no more for this client. */
  stopClient(clientId: string): void {
    for (const queue of this.held()) if (queue.party.clientId === clientId) this.#drop(queue);
  }

  #drop(queue: SubscriptionQueue): void {
    queue.revoke();
    this.#queues.delete(queue.subscriptionId);
    this.#shares.release(queue.party);
  }

  #partyOf(clientId: string): Party {
    return { clientId, organization: organizationOf(this.#options.directory, clientId) };
  }

  /** A queue that does not open, such as by another key, stays claimed until the lease ends; the others go on. */
  #open(claimed: {
    queue: ClaimedQueue;
    party: Party;
    claimId: string;
    leaseUntil: number;
  }): SubscriptionQueue | undefined {
    const { subscriptionId, sealedKey } = claimed.queue;
    try {
      const key = signingKey(unseal(this.#options.secretsKeys, sealedKey, keyContext(subscriptionId)));
      return new SubscriptionQueue({ ...claimed, key, now: performance.now() });
    } catch (error) {
      this.#options.logger.error({ error: describeError(error), subscriptionId }, 'queue does not open');
      return undefined;
    }
  }
}
