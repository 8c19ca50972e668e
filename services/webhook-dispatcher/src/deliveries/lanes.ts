import { randomUUID } from 'node:crypto';
import { unseal } from '@kontoport/database';
import { describeError, type Logger } from '@kontoport/runtime';
import type { Db } from '../db.ts';
import { keyContext } from '../subscriptions/subscription.model.ts';
import type { ClaimedLane, OutcomeToRecord } from './delivery.model.ts';
import { claimLanes, findDue, releaseLanes, renewLeases } from './delivery.repository.ts';
import { Lane } from './lane.ts';
import { signingKey } from './sign-body.model.ts';

/** A claim that is not prolonged for this long is anybody's: after a crash, deliveries wait no longer. */
const LEASE_MS = 6_000;
/** How often others' lanes are looked for at most, unless there is reason to. */
const CLAIM_MS = 200;
/** A lane without work is kept this long, since the next event often follows at once. */
const LINGER_MS = 1_000;
const MAX_LANES = 512;

/** The lanes that this process holds: claimed, filled, prolonged and given back. */
export class Lanes {
  readonly #db: Db;
  readonly #secretsKey: Uint8Array;
  readonly #logger: Logger;
  readonly #lanes = new Map<string, Lane>();
  #claimedAt = Number.NEGATIVE_INFINITY;

  constructor(options: { db: Db; secretsKey: Uint8Array; logger: Logger }) {
    this.#db = options.db;
    this.#secretsKey = options.secretsKey;
    this.#logger = options.logger;
  }

  /** Those held at this moment. */
  held(): Lane[] {
    return [...this.#lanes.values()];
  }

  /** There may be new work: the next `claim` does not wait for its time. */
  expectWork(): void {
    this.#claimedAt = Number.NEGATIVE_INFINITY;
  }

  /** Claims what is due and nobody's, when it is time to look again and there is room. */
  async claim(): Promise<void> {
    const limit = MAX_LANES - this.#lanes.size;
    const started = performance.now();
    if (limit <= 0 || started - this.#claimedAt < CLAIM_MS) return;
    this.#claimedAt = started;
    const claimId = randomUUID();
    const leaseUntil = started + LEASE_MS;
    for (const lane of await claimLanes(this.#db, { claimId, leaseMs: LEASE_MS, limit })) {
      const opened = this.#open({ lane, claimId, leaseUntil });
      if (opened !== undefined) this.#lanes.set(lane.subscriptionId, opened);
    }
  }

  /** Fetches due deliveries for the lanes that have too few in hand. */
  async fill(): Promise<void> {
    const now = performance.now();
    const hungry = this.held()
      .map((lane) => ({ lane, wanted: lane.wanted(now) }))
      .filter(({ wanted }) => wanted > 0);
    if (hungry.length === 0) return;
    const due = await findDue(this.#db, {
      lanes: hungry.map(({ lane: { subscriptionId, claimId }, wanted }) => ({
        subscriptionId,
        claimId,
        wanted,
      })),
      busy: hungry.flatMap(({ lane }) => [...lane.busy]),
    });
    const byLane = Map.groupBy(due, ({ subscriptionId }) => subscriptionId);
    for (const { lane, wanted } of hungry)
      if (!lane.lost) lane.add(byLane.get(lane.subscriptionId) ?? [], { wanted, now });
  }

  /** Prolongs the leases; a lane that is another's by now is dropped. */
  async renew(): Promise<void> {
    const held = this.held();
    if (held.length === 0) return;
    const leaseUntil = performance.now() + LEASE_MS;
    const kept = await renewLeases(this.#db, held, LEASE_MS);
    for (const lane of held)
      if (kept.has(lane.subscriptionId)) lane.leaseUntil = leaseUntil;
      else if (this.#lanes.get(lane.subscriptionId) === lane) this.#drop(lane);
  }

  /** Gives lanes back in which nothing happened for a while, and those that lost their trust, at once. */
  async releaseIdle(): Promise<void> {
    const now = performance.now();
    const idle = this.held().filter(
      (lane) => lane.busy.size === 0 && lane.inFlight === 0 && (lane.lost || now - lane.activeAt > LINGER_MS),
    );
    if (idle.length === 0) return;
    for (const lane of idle) this.#drop(lane);
    await releaseLanes(this.#db, idle);
  }

  /** Gives all lanes back. */
  async releaseAll(): Promise<void> {
    const held = this.held();
    for (const lane of held) this.#drop(lane);
    if (held.length > 0) await releaseLanes(this.#db, held);
  }

  /** An outcome is in the database, or could not be taken because its claim was lost. */
  settle(outcome: OutcomeToRecord, taken: boolean): void {
    const lane = this.#lanes.get(outcome.subscriptionId);
    if (lane?.claimId !== outcome.claimId) return;
    lane.busy.delete(outcome.deliveryId);
    if (outcome.pause) this.#drop(lane);
    // It may be another's, or the delivery has moved on: nothing more is sent, and the lane goes back once it is empty.
    else if (!taken) lane.lose();
  }

  /** Sends no more for this subscription. */
  stop(subscriptionId: string): void {
    const lane = this.#lanes.get(subscriptionId);
    if (lane !== undefined) this.#drop(lane);
  }

  /** Sends no more for this client. */
  stopClient(clientId: string): void {
    for (const lane of this.held()) if (lane.clientId === clientId) this.#drop(lane);
  }

  #drop(lane: Lane): void {
    lane.lose();
    this.#lanes.delete(lane.subscriptionId);
  }

  /** A lane that does not open, such as by another key, stays claimed until the lease ends; the others go on. */
  #open(claimed: { lane: ClaimedLane; claimId: string; leaseUntil: number }): Lane | undefined {
    const { subscriptionId, sealedKey } = claimed.lane;
    try {
      const key = signingKey(unseal(this.#secretsKey, sealedKey, keyContext(subscriptionId)));
      return new Lane({ ...claimed, key, now: performance.now() });
    } catch (error) {
      this.#logger.error({ error: describeError(error), subscriptionId }, 'lane does not open');
      return undefined;
    }
  }
}
