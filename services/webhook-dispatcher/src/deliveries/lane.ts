import type { KeyObject } from 'node:crypto';
import type { ClaimedLane, DueDelivery, LaneClaim } from './delivery.model.ts';
import { allowedInFlight, type InFlightLimit, initialLimit } from './in-flight-limit.model.ts';

/** Deliveries fetched ahead, as multiples of what may be in flight: when to fetch again, and up to where. */
const AHEAD = { least: 4, most: 8 };

/** What was fetched longer ago than this is not sent: another process may have deleted the subscription since. */
const FRESH_MS = 1_000;

/** One subscription's deliveries in the hands of this process. All times are milliseconds of a monotonic clock. */
export class Lane implements LaneClaim {
  readonly subscriptionId: string;
  readonly clientId: string;
  readonly claimId: string;
  readonly url: URL;
  readonly key: KeyObject;
  /** Our end of the lease; it comes before the database's. */
  leaseUntil: number;
  load: InFlightLimit = initialLimit;
  inFlight = 0;
  /** Ids from the fetch until the outcome is recorded. */
  readonly busy = new Set<string>();
  /** When something was last in hand. */
  activeAt: number;
  /** The last fetch brought as much as was asked for: there is probably more. */
  more = true;
  #ready: DueDelivery[] = [];
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #lost = false;

  constructor(claim: {
    lane: ClaimedLane;
    claimId: string;
    key: KeyObject;
    leaseUntil: number;
    now: number;
  }) {
    this.subscriptionId = claim.lane.subscriptionId;
    this.clientId = claim.lane.clientId;
    this.url = new URL(claim.lane.callbackUrl);
    this.claimId = claim.claimId;
    this.key = claim.key;
    this.leaseUntil = claim.leaseUntil;
    this.activeAt = claim.now;
  }

  /** How many deliveries to fetch now; 0 while there are enough in hand. */
  wanted(now: number): number {
    this.#dropStale(now);
    const allowed = allowedInFlight(this.load);
    const ahead = this.#ready.length;
    return ahead > AHEAD.least * allowed ? 0 : AHEAD.most * allowed - ahead;
  }

  /** Takes what a fetch brought. */
  add(deliveries: readonly DueDelivery[], fetch: { wanted: number; now: number }): void {
    this.more = deliveries.length >= fetch.wanted;
    if (deliveries.length === 0) return;
    this.#ready.push(...deliveries);
    this.#fetchedAt = fetch.now;
    this.activeAt = fetch.now;
    for (const { id } of deliveries) this.busy.add(id);
  }

  /** The next delivery to send, when one may be sent now. */
  take(now: number): DueDelivery | undefined {
    this.#dropStale(now);
    if (this.#lost || now >= this.leaseUntil || this.inFlight >= allowedInFlight(this.load)) return undefined;
    return this.#ready.shift();
  }

  /** Nothing more is sent; what is in flight may end. */
  lose(): void {
    this.#lost = true;
    this.#forget();
  }

  get lost(): boolean {
    return this.#lost;
  }

  #dropStale(now: number): void {
    if (this.#ready.length === 0 || now - this.#fetchedAt < FRESH_MS) return;
    this.#forget();
    this.more = true;
  }

  #forget(): void {
    for (const { id } of this.#ready) this.busy.delete(id);
    this.#ready = [];
  }
}
