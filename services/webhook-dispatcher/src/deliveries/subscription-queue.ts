import type { KeyObject } from 'node:crypto';
import type { Party } from '@kontoport/fairness';
import type {
  ClaimedQueue,
  DueDelivery,
  NewDeliveries,
  QueueClaim,
  QueueRelease,
  ReceiverState,
} from './delivery.model.ts';
import { failingMs, type FailureStreak, streakAfter, streakAtClaim } from './failure-streak.model.ts';
import { afterAttempt, allowedInFlight, type AttemptLoad, initialLimit } from './in-flight-limit.model.ts';
import { healthAfter, healthAtClaim, outageBackoff } from './receiver-health.model.ts';

/** Numbers of deliveries to fetch ahead, as multiples of the in-flight limit: the minimum that triggers a fetch, and the maximum. */
const AHEAD = { least: 4, most: 8 };

/** Deliveries that were fetched longer ago are not sent: the subscription may have been changed or deleted since. */
const FRESH_MS = 1_000;

/** The deliveries of one subscription that this process holds. All times are milliseconds of a monotonic clock. */
export class SubscriptionQueue implements QueueClaim {
  readonly subscriptionId: string;
  /** The id that its owner chose. */
  readonly id: string;
  /** The owner, as of the claim. */
  readonly party: Party;
  readonly claimId: string;
  readonly key: KeyObject;
  /** The time at which we stop using the lease, before it ends in the database. */
  leaseUntil: number;
  inFlight = 0;
  /** Its client has its whole share of the POSTs in flight. */
  isThrottled = false;
  /** Ids of events from the fetch until the outcome is recorded. */
  readonly busy = new Set<string>();
  /** The time at which the queue last had a delivery to send. */
  activeAt: number;
  readonly claimedAt: number;
  /** The database probably has more: the last fetch was full, or new deliveries were announced. */
  hasMore = true;
  #callback;
  #ready: DueDelivery[] = [];
  /** The time at which the database last confirmed the deliveries that are ready. */
  #readAt = Number.NEGATIVE_INFINITY;
  /** The end of the last fetch; infinity during one. */
  #fetchedUntil = Number.NEGATIVE_INFINITY;
  #load = initialLimit;
  #health;
  #streak;
  #isRevoked = false;
  #isYielding = false;

  constructor(claim: {
    queue: ClaimedQueue;
    party: Party;
    claimId: string;
    key: KeyObject;
    leaseUntil: number;
    now: number;
  }) {
    this.subscriptionId = claim.queue.subscriptionId;
    this.id = claim.queue.id;
    this.party = claim.party;
    this.#callback = readCallback(claim.queue.callbackUrl);
    this.claimId = claim.claimId;
    this.key = claim.key;
    this.leaseUntil = claim.leaseUntil;
    this.activeAt = claim.now;
    this.claimedAt = claim.now;
    this.#health = healthAtClaim(claim.queue.outages);
    this.#streak = streakAtClaim(claim.queue.failures);
  }

  /** The callback. */
  get callbackUrl(): string {
    return this.#callback.url;
  }

  /** The origin of the callback: scheme, host and port. */
  get origin(): string {
    return this.#callback.origin;
  }

  /** The path of the callback, with the query. */
  get path(): string {
    return this.#callback.path;
  }

  /** Outages in a row. */
  get outages(): number {
    return this.#health.outages;
  }

  /** Attempts in a row that failed. */
  get streak(): FailureStreak {
    return this.#streak;
  }

  /** The state of its receiver. */
  receiverState(now: number): ReceiverState {
    const { callbackUrl, outages } = this;
    return { callbackUrl, outages, failures: this.#streak.failures, failingMs: failingMs(this.#streak, now) };
  }

  /** Returns how many deliveries to fetch now; 0 while enough are ready, or none could be sent. */
  wanted(now: number): number {
    this.#dropStale(now);
    if (this.isEnding) return 0;
    const allowed = this.#allowed();
    // A delivery fetched now would be too old once something in flight ends.
    if ((this.isThrottled || this.inFlight >= allowed) && now - this.activeAt > FRESH_MS) return 0;
    const ahead = this.#ready.length;
    return ahead > AHEAD.least * allowed ? 0 : AHEAD.most * allowed - ahead;
  }

  /** Marks the begin of a fetch. Deliveries that are stored during it are fetched next time. */
  beginFetch(): void {
    this.hasMore = false;
    this.#fetchedUntil = Number.POSITIVE_INFINITY;
  }

  /** Marks a fetch as failed. */
  fetchFailed(now: number): void {
    this.hasMore = true;
    this.#fetchedUntil = now;
  }

  /** Adds the deliveries of a fetch. */
  add(deliveries: readonly DueDelivery[], fetch: { wanted: number; askedAt: number; now: number }): void {
    this.#fetchedUntil = fetch.now;
    if (this.isEnding) return;
    if (deliveries.length >= fetch.wanted) this.hasMore = true;
    this.#makeReady(deliveries, fetch.askedAt);
    this.#setCallback(deliveries[0]?.callbackUrl ?? null);
  }

  /**
   * Adds new deliveries just after they were stored, as many as there is room for. It takes none while others wait in the database,
   * and none that a fetch may also have brought.
   * @param since when the statement began that stored them
   * @returns how many
   */
  offer(made: NewDeliveries, since: number): number {
    if (this.isEnding || this.hasMore || made.claimId !== this.claimId || this.#fetchedUntil >= since)
      return 0;
    const room = AHEAD.most * this.#allowed() - this.#ready.length;
    const taken = made.deliveries.slice(0, Math.max(0, room));
    this.#makeReady(taken, since);
    this.#setCallback(made.callbackUrl === this.callbackUrl ? null : made.callbackUrl);
    return taken.length;
  }

  #makeReady(deliveries: readonly DueDelivery[], now: number): void {
    if (deliveries.length === 0) return;
    this.#ready.push(...deliveries);
    this.#readAt = now;
    this.activeAt = now;
    for (const { eventId } of deliveries) this.busy.add(eventId);
  }

  /** Forgets what is known of the previous receiver. */
  #setCallback(callbackUrl: string | null): void {
    if (callbackUrl === null) return;
    this.#callback = readCallback(callbackUrl);
    this.#load = initialLimit;
    this.#health = healthAtClaim(0);
    this.#streak = streakAtClaim(0);
  }

  /** Returns the next delivery to send; undefined if none may be sent now. */
  next(now: number): DueDelivery | undefined {
    this.#dropStale(now);
    if (this.isEnding || now >= this.leaseUntil || this.inFlight >= this.#allowed()) return undefined;
    return this.#ready.shift();
  }

  /** Records the result of an attempt. @returns whether an outage began with it */
  recordAttempt(attempt: AttemptLoad & { isAnswered: boolean; isAccepted: boolean }): boolean {
    const { outages } = this.#health;
    this.#streak = streakAfter(this.#streak, attempt);
    this.#load = afterAttempt(this.#load, attempt);
    this.#health = healthAfter(this.#health, attempt.isAnswered);
    this.activeAt = attempt.endedAt;
    if (this.#health.isOut) this.#clear();
    return this.#health.outages > outages;
  }

  /** Stops sending; attempts in flight may end. */
  revoke(): void {
    this.#isRevoked = true;
    this.#clear();
  }

  /** Makes room for another queue: it stops sending, and is released once nothing is in flight. */
  yieldSlot(): void {
    this.#isYielding = true;
    this.#clear();
  }

  get isRevoked(): boolean {
    return this.#isRevoked;
  }

  /** Nothing more is sent under this claim. */
  get isEnding(): boolean {
    return this.#isRevoked || this.#isYielding || this.#health.isOut;
  }

  /** Returns the state to store when it is released. @param random 0 ≤ random < 1 */
  release(now: number, random: number): QueueRelease {
    const { outages, isOut } = this.#health;
    const yielded = this.#isYielding ? 0 : undefined;
    return { ...this.receiverState(now), waitMs: isOut ? outageBackoff(outages, random) : yielded };
  }

  /** Under an outage one delivery at a time is the probe. */
  #allowed(): number {
    return this.#health.outages > 0 ? 1 : allowedInFlight(this.#load);
  }

  #dropStale(now: number): void {
    if (this.#ready.length === 0 || now - this.#readAt < FRESH_MS) return;
    this.#clear();
    this.hasMore = true;
  }

  #clear(): void {
    for (const { eventId } of this.#ready) this.busy.delete(eventId);
    this.#ready = [];
  }
}

function readCallback(url: string): { url: string; origin: string; path: string } {
  const { origin, pathname, search } = new URL(url);
  return { url, origin, path: pathname + search };
}
