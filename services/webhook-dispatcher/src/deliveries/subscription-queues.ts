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

/** Duration of a claim without renewal: after a crash deliveries wait no longer than this. */
const LEASE_MS = 6_000;
/** Interval of the search for due retries and free queues, and the maximum share of the time that it may use. */
const LOOK = { everyMs: 200, part: 1 / 20, pauseMs: 2_000 };
/** Time for which an empty queue is kept: the next event often follows at once. */
const LINGER_MS = 1_000;
/** Minimum time for which a queue is kept before it makes room for another. */
const SLICE_MS = 2_000;
const MAX_QUEUES = 512;
/** Candidates that are considered in one round. */
const MAX_CANDIDATES = 8 * MAX_QUEUES;
/** Queues that yield in one round. */
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

/** Returns the organization of a client; undefined while the directory is silent, when nothing is sent either. */
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

/** The queues that this process holds: it claims, fills, renews and releases them. */
export class SubscriptionQueues {
  readonly #options: SubscriptionQueuesOptions;
  readonly #shares: FairShares;
  readonly #queues = new Map<string, SubscriptionQueue>();
  /** Queues with new deliveries that are probably free. */
  readonly #fresh = new Map<string, QueueToClaim>();
  readonly #walk = new QueueWalk();
  #lookAt = Number.NEGATIVE_INFINITY;
  #filledAt = Number.NEGATIVE_INFINITY;

  constructor(options: SubscriptionQueuesOptions) {
    this.#options = options;
    this.#shares = new FairShares({ max: MAX_QUEUES, share: options.share });
  }

  /** Returns the queues that are held. */
  held(): SubscriptionQueue[] {
    return [...this.#queues.values()];
  }

  /** Notes that these queues have new deliveries. */
  expectWork(queues: readonly QueueToClaim[]): void {
    for (const fresh of queues) {
      const queue = this.#queues.get(fresh.subscriptionId);
      if (queue === undefined) this.#fresh.set(fresh.subscriptionId, fresh);
      else queue.hasMore = true;
    }
  }

  /**
   * Adds new deliveries to the queues that are held, as far as there is room.
   * @param since when the statement that stored them began
   * @returns the queues that took some, and the deliveries that are left to be fetched
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

  /** Claims queues with new deliveries and, at intervals, free queues with due ones, as far as the shares allow. */
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
    this.#makeRoom(refused);
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

  /** Makes one old queue yield for each that was refused, among those with which it shares a bound. */
  #makeRoom(refused: readonly Party[]): void {
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

  /** Fetches due deliveries for queues with too few: for those that expect more and, at intervals, for all. */
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

  /** Renews the leases, and drops queues that another process has claimed. */
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
    // Only streaks that the database knows and that no success has ended since.
    const failing = told.filter(
      ({ queue, streak }) => !queue.isRevoked && queue.streak.since === streak.since && isLong(streak),
    );
    if (failing.length > 0) await this.pauseFailing(failing.map(({ queue }) => queue));
  }

  /** Pauses subscriptions that have failed for long: those of free queues and of these. */
  async pauseFailing(failing: readonly SubscriptionQueue[] = []): Promise<void> {
    const { db, pauseAfterMs: afterMs, logger } = this.#options;
    const paused = await pauseFailing(db, { afterMs, minFailures: MIN_FAILURES, claims: failing });
    for (const subscriptionId of paused) {
      logger.info({ subscriptionId }, 'subscription paused after repeated failures');
      this.stop(subscriptionId);
    }
  }

  /** Releases queues that were idle for a while, and at once those that have ended. */
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

  /** Releases all queues. */
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

  /** Notes that an outcome is stored, or was refused because its claim was lost. */
  settle(outcome: OutcomeToRecord, taken: boolean): void {
    const queue = this.#queues.get(outcome.subscriptionId);
    if (queue?.claimId !== outcome.claimId) return;
    queue.busy.delete(outcome.eventId);
    if (outcome.pause) this.#drop(queue);
    // Another process may hold it, or the delivery has moved on: the queue stops, and is released once it is empty.
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

  /** Opens a queue. One whose key cannot be decrypted stays claimed until the lease ends; the others go on. */
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
