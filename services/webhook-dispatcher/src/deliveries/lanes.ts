import { randomUUID } from 'node:crypto';
import type { ClientDirectory } from '@kontoport/client-directory';
import { type SealingKeys, unseal } from '@kontoport/database';
import { describeError, type Logger } from '@kontoport/lifecycle';
import type { Db } from '../gen/db.ts';
import { keyContext } from '../subscriptions/subscription.model.ts';
import type { ClaimedLane, LaneToClaim, NewDeliveries, OutcomeToRecord } from './delivery.model.ts';
import { findDue } from './delivery.repository.ts';
import { type FailureStreak, LEAST_FAILURES } from './failure-streak.model.ts';
import {
  claimLanes,
  findWaitingLanes,
  LaneWalk,
  pauseFailing,
  releaseLanes,
  renewLeases,
} from './lane.repository.ts';
import { Lane } from './lane.ts';
import { inTurn, type Party, Shares } from './shares.model.ts';
import { signingKey } from './sign-body.model.ts';

/** A claim that is not prolonged for this long is anybody's: after a crash, deliveries wait no longer. */
const LEASE_MS = 6_000;
/** How often retries and others' lanes are looked for, and which part of the time that may take, as long as it is no longer. */
const LOOK = { everyMs: 200, part: 1 / 20, pauseMs: 2_000 };
/** A lane without work is kept this long, since the next event often follows at once. */
const LINGER_MS = 1_000;
/** A lane is kept at least this long before it makes room for another. */
const SLICE_MS = 2_000;
const MAX_LANES = 512;
/** Lanes that are looked at in one round. */
const MAX_CANDIDATES = 8 * MAX_LANES;
/** Lanes that make room in one round. */
const MAX_CEDED = 64;

const isLong = ({ failures }: FailureStreak): boolean => failures >= LEAST_FAILURES;

interface LanesOptions {
  db: Db;
  secretsKeys: SealingKeys;
  directory: Pick<ClientDirectory, 'find'>;
  /** Part of the free lanes that a client, and an organization, may have. */
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

/** The lanes that this process holds: claimed, filled, prolonged and given back. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #shares: Shares;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that got something new, nobody's as far as we know. */
  readonly #fresh = new Map<string, LaneToClaim>();
  readonly #walk = new LaneWalk();
  #lookAt = Number.NEGATIVE_INFINITY;
  #filledAt = Number.NEGATIVE_INFINITY;

  constructor(options: LanesOptions) {
    this.#options = options;
    this.#shares = new Shares({ most: MAX_LANES, share: options.share });
  }

  /** Those held at this moment. */
  held(): Lane[] {
    return [...this.#lanes.values()];
  }

  /** These have something new. */
  expectWork(lanes: readonly LaneToClaim[]): void {
    for (const fresh of lanes) {
      const lane = this.#lanes.get(fresh.subscriptionId);
      if (lane === undefined) this.#fresh.set(fresh.subscriptionId, fresh);
      else lane.more = true;
    }
  }

  /**
   * Gives new deliveries to the lanes that are in our hands, as far as these can take them.
   * @param since when the statement that stored them began
   * @returns the lanes that took some, and those in which some are left to be fetched
   */
  offer(stored: readonly NewDeliveries[], since: number): { taken: Lane[]; left: NewDeliveries[] } {
    const taken: Lane[] = [];
    const left = stored.filter((made) => {
      const lane = this.#lanes.get(made.subscriptionId);
      const count = lane?.offer(made, since) ?? 0;
      if (count > 0) taken.push(lane!);
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
      for (const lane of await findWaitingLanes(this.#options.db, MAX_CANDIDATES, this.#walk))
        candidates.set(lane.subscriptionId, lane);
      const ended = performance.now();
      const pauseMs = Math.min((ended - started) / LOOK.part, LOOK.pauseMs);
      this.#lookAt = Math.max(started + LOOK.everyMs, ended + pauseMs);
    }
    for (const subscriptionId of this.#lanes.keys()) candidates.delete(subscriptionId);
    if (candidates.size > 0) await this.#claimInTurn([...candidates.values()]);
  }

  async #claimInTurn(candidates: readonly LaneToClaim[]): Promise<void> {
    const chosen = new Map<string, Party>();
    const refused: Party[] = [];
    for (const { subscriptionId, clientId } of inTurn(candidates, this.#shares)) {
      const party = this.#partyOf(clientId);
      if (this.#shares.limit(party) === undefined) {
        this.#shares.take(party);
        chosen.set(subscriptionId, party);
      } else refused.push(party);
    }
    this.#makeRoom(refused);
    if (chosen.size === 0) return;
    const claimId = randomUUID();
    const leaseUntil = performance.now() + LEASE_MS;
    try {
      const claimed = await claimLanes(this.#options.db, {
        subscriptionIds: [...chosen.keys()],
        claimId,
        leaseMs: LEASE_MS,
      });
      for (const lane of claimed) {
        const party = chosen.get(lane.subscriptionId)!;
        const opened = this.#open({ lane, party, claimId, leaseUntil });
        if (opened === undefined) continue;
        this.#lanes.set(lane.subscriptionId, opened);
        chosen.delete(lane.subscriptionId);
      }
    } finally {
      for (const party of chosen.values()) this.#shares.giveBack(party);
    }
  }

  /** Has a lane that was held long enough go for each one that found no place, among those with which it shares. */
  #makeRoom(refused: readonly Party[]): void {
    const since = performance.now() - SLICE_MS;
    const old = this.held().filter(({ claimedAt, isEnding }) => claimedAt < since && !isEnding);
    for (const party of refused.slice(0, MAX_CEDED)) {
      const limit = this.#shares.limit(party);
      const at = old.findIndex(
        (lane) =>
          limit === 'all' ||
          (limit === 'client' && lane.party.clientId === party.clientId) ||
          (limit === 'organization' && lane.party.organization === party.organization),
      );
      if (at !== -1) old.splice(at, 1)[0]!.cede();
    }
  }

  /** Fetches due deliveries for the lanes that have too few in hand: where more is expected, and now and then for all. */
  async fill(): Promise<void> {
    const now = performance.now();
    const isTime = now - this.#filledAt >= LOOK.everyMs;
    if (isTime) this.#filledAt = now;
    const hungry = this.held()
      .filter((lane) => isTime || lane.more)
      .map((lane) => ({ lane, wanted: lane.wanted(now) }))
      .filter(({ wanted }) => wanted > 0);
    if (hungry.length === 0) return;
    for (const { lane } of hungry) lane.ask();
    const due = await findDue(this.#options.db, {
      lanes: hungry.map(({ lane: { subscriptionId, claimId, callbackUrl }, wanted }) => ({
        subscriptionId,
        claimId,
        callbackUrl,
        wanted,
      })),
      busy: hungry.flatMap(({ lane: { subscriptionId, busy } }) =>
        [...busy].map((eventId) => ({ subscriptionId, eventId })),
      ),
    }).catch((error: unknown) => {
      for (const { lane } of hungry) lane.askInVain(performance.now());
      throw error;
    });
    const byLane = Map.groupBy(due, ({ subscriptionId }) => subscriptionId);
    const fetch = { askedAt: now, now: performance.now() };
    for (const { lane, wanted } of hungry)
      lane.add(byLane.get(lane.subscriptionId) ?? [], { wanted, ...fetch });
  }

  /** Prolongs the leases; a lane that is another's by now is dropped. */
  async renew(): Promise<void> {
    const held = this.held();
    if (held.length === 0) return;
    const leaseUntil = performance.now() + LEASE_MS;
    const now = performance.now();
    const told = held.map((lane) => ({ lane, streak: lane.streak }));
    const kept = await renewLeases(
      this.#options.db,
      held.map((lane) => ({
        subscriptionId: lane.subscriptionId,
        claimId: lane.claimId,
        ...lane.known(now),
      })),
      LEASE_MS,
    );
    for (const lane of held)
      if (kept.has(lane.subscriptionId)) lane.leaseUntil = leaseUntil;
      else if (this.#lanes.get(lane.subscriptionId) === lane) this.#drop(lane);
    // A streak of which the database knows, and which no success has ended meanwhile.
    const failing = told.filter(
      ({ lane, streak }) => !lane.isLost && lane.streak.since === streak.since && isLong(streak),
    );
    if (failing.length > 0) await this.pauseFailing(failing.map(({ lane }) => lane));
  }

  /** Pauses what has failed for long: lanes that nobody holds, and these. */
  async pauseFailing(failing: readonly Lane[] = []): Promise<void> {
    const { db, pauseAfterMs: afterMs, logger } = this.#options;
    const paused = await pauseFailing(db, { afterMs, leastFailures: LEAST_FAILURES, claims: failing });
    for (const subscriptionId of paused) {
      logger.info({ subscriptionId }, 'subscription paused, nothing but failures');
      this.stop(subscriptionId);
    }
  }

  /** Gives lanes back in which nothing happened for a while, and at once those in which nothing more will. */
  async releaseIdle(): Promise<void> {
    const now = performance.now();
    const idle = this.held().filter(
      (lane) =>
        lane.busy.size === 0 &&
        lane.inFlight === 0 &&
        (lane.isEnding || (!lane.more && now - lane.activeAt > LINGER_MS)),
    );
    await this.#release(idle);
  }

  /** Gives all lanes back. */
  async releaseAll(): Promise<void> {
    await this.#release(this.held());
  }

  async #release(lanes: readonly Lane[]): Promise<void> {
    if (lanes.length === 0) return;
    const now = performance.now();
    const ends = lanes.map((lane) => ({
      subscriptionId: lane.subscriptionId,
      claimId: lane.claimId,
      ...lane.end(now, Math.random()),
    }));
    for (const lane of lanes) this.#drop(lane);
    await releaseLanes(this.#options.db, ends);
  }

  /** An outcome is in the database, or could not be taken because its claim was lost. */
  settle(outcome: OutcomeToRecord, taken: boolean): void {
    const lane = this.#lanes.get(outcome.subscriptionId);
    if (lane?.claimId !== outcome.claimId) return;
    lane.busy.delete(outcome.eventId);
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
    for (const lane of this.held()) if (lane.party.clientId === clientId) this.#drop(lane);
  }

  #drop(lane: Lane): void {
    lane.lose();
    this.#lanes.delete(lane.subscriptionId);
    this.#shares.giveBack(lane.party);
  }

  #partyOf(clientId: string): Party {
    return { clientId, organization: organizationOf(this.#options.directory, clientId) };
  }

  /** A lane that does not open, such as by another key, stays claimed until the lease ends; the others go on. */
  #open(claimed: { lane: ClaimedLane; party: Party; claimId: string; leaseUntil: number }): Lane | undefined {
    const { subscriptionId, sealedKey } = claimed.lane;
    try {
      const key = signingKey(unseal(this.#options.secretsKeys, sealedKey, keyContext(subscriptionId)));
      return new Lane({ ...claimed, key, now: performance.now() });
    } catch (error) {
      this.#options.logger.error({ error: describeError(error), subscriptionId }, 'lane does not open');
      return undefined;
    }
  }
}
