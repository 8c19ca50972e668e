import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientDirectory } from '@kontoport/client-directory';
import { unseal } from '@kontoport/database';
import type { GuardedAgent } from '@kontoport/egress';
import { type Closable, describeError, type Logger } from '@kontoport/runtime';
import type pg from 'pg';
import { keyContext } from '../subscriptions/subscription.repository.ts';
import { attemptDelivery, type AttemptResult } from './attempt-delivery.ts';
import {
  type ClaimedLane,
  claimLanes,
  dropPending,
  type DueDelivery,
  findDue,
  type OutcomeToRecord,
  recordOutcomes,
  releaseLanes,
  renewLeases,
} from './delivery.repository.ts';
import { afterAttempt } from './in-flight-limit.model.ts';
import { Lane } from './lane.ts';
import { createOutcomeWriter } from './outcome-writer.ts';
import { nextWait, type RetrySchedule } from './retry-schedule.model.ts';
import { signBody, signingKey } from './sign-body.ts';
import { WakeUp } from './wake-up.ts';

/** A claim that is not prolonged for this long is anybody's: after a crash, deliveries wait no longer. */
const LEASE_MS = 6_000;
const HEARTBEAT_MS = 1_500;
/** How late a retry, or work that another process left, is noticed at most. */
const POLL_MS = 200;
/** A lane without work is kept this long, since the next event often follows at once. */
const LINGER_MS = 1_000;
const SWEEP_MS = 1_000;
const SWEEP_ROWS = 5_000;
const MAX_LANES = 512;
/** POSTs in flight in this process. Beyond it a lane has one at most, so that slow receivers cannot use it all up. */
const MAX_IN_FLIGHT = 1_024;
/** An attempt takes 15 s at most (DESIGN §4). */
const ATTEMPT_LIMIT_MS = 15_000;

/** Sends what is due, as long as the process lives. */
export interface Dispatcher extends Closable {
  /** There is something new to send. */
  wake(): void;
  /** The subscription was deleted: none of its deliveries is sent any more. */
  stop(subscriptionId: string): void;
  /** The client was deleted. */
  stopClient(clientId: string): void;
}

export interface DispatcherOptions {
  pool: pg.Pool;
  agent: GuardedAgent;
  directory: Pick<ClientDirectory, 'find'>;
  secretsKey: Uint8Array;
  schedule: RetrySchedule;
  logger: Logger;
}

/**
 * Starts the delivery loop. A lane, which is one subscription, is claimed by one process at a time under a lease; its
 * deliveries are fetched ahead in batches, sent as far as its in-flight limit allows, and their outcomes are written
 * in batches. At least once: what was sent but not recorded is sent again, with the same idempotencyKey.
 */
export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { pool, agent, directory, secretsKey, schedule } = options;
  const logger = options.logger.child({ component: 'dispatcher' });
  const lanes = new Map<string, Lane>();
  const attempts = new Set<Promise<void>>();
  const wakeUp = new WakeUp();
  const drained = new AbortController();
  let closing = false;
  let claimedAt = Number.NEGATIVE_INFINITY;
  let sweptAt = Number.NEGATIVE_INFINITY;

  const writer = createOutcomeWriter({
    record: (outcomes) => recordOutcomes(pool, outcomes),
    onWritten(outcome, taken) {
      const lane = lanes.get(outcome.subscriptionId);
      if (lane?.claimId !== outcome.claimId) return;
      lane.busy.delete(outcome.deliveryId);
      if (!taken || outcome.pause) drop(lane);
    },
    logger,
  });

  const drop = (lane: Lane): void => {
    lane.lose();
    lanes.delete(lane.subscriptionId);
  };

  /** A silent directory cannot say that the client was not deleted a moment ago: its deliveries wait. */
  const mayReceive = (clientId: string): boolean => {
    try {
      return !directory.find(clientId)?.deleted;
    } catch {
      return false;
    }
  };

  const launch = (lane: Lane): void => {
    if (closing || !mayReceive(lane.clientId)) return;
    while (attempts.size < MAX_IN_FLIGHT || lane.inFlight === 0) {
      const delivery = lane.take(performance.now());
      if (delivery === undefined) break;
      lane.inFlight += 1;
      const attempt = send(lane, delivery).finally(() => {
        attempts.delete(attempt);
        lane.inFlight -= 1;
        launch(lane);
      });
      attempts.add(attempt);
    }
    if (lane.more && !lane.lost && lane.wanted(performance.now()) > 0) wakeUp.call();
  };

  const send = async (lane: Lane, { id, body, attempts: made, traceparent }: DueDelivery): Promise<void> => {
    const startedAt = performance.now();
    const result = await attemptDelivery({
      agent,
      url: lane.url,
      body,
      signature: signBody(lane.key, body),
      traceparent: traceparent ?? undefined,
      attempts: made,
      timeLimit: ATTEMPT_LIMIT_MS,
    });
    const endedAt = performance.now();
    lane.load = afterAttempt(lane.load, { startedAt, endedAt, overloaded: isOverload(result) });
    lane.activeAt = endedAt;
    const { subscriptionId, claimId } = lane;
    const { outcome, httpStatus, milliseconds } = result;
    const next = whatFollows(result, { schedule, attempts: made + 1, random: Math.random() });
    const pauses = httpStatus === 410;
    writer.add({
      subscriptionId,
      claimId,
      deliveryId: id,
      attempts: made,
      startedAt: result.startedAt,
      milliseconds,
      outcome,
      httpStatus,
      next,
      pause: pauses,
    });
    if (pauses) lane.lose();
    logger.info(
      { deliveryId: id, subscriptionId, attempt: made + 1, outcome, httpStatus, milliseconds, ...next },
      'delivery attempted',
    );
  };

  const claim = async (): Promise<void> => {
    const limit = MAX_LANES - lanes.size;
    const started = performance.now();
    if (limit <= 0 || started - claimedAt < POLL_MS) return;
    claimedAt = started;
    const claimId = randomUUID();
    const leaseUntil = started + LEASE_MS;
    for (const lane of await claimLanes(pool, { claimId, leaseMs: LEASE_MS, limit })) {
      const opened = open({ lane, claimId, leaseUntil });
      if (opened !== undefined) lanes.set(lane.subscriptionId, opened);
    }
  };

  /** A lane that does not open, such as by another key, stays claimed until the lease ends; the others go on. */
  const open = (claimed: { lane: ClaimedLane; claimId: string; leaseUntil: number }): Lane | undefined => {
    const { subscriptionId, sealedKey } = claimed.lane;
    try {
      const key = signingKey(unseal(secretsKey, sealedKey, keyContext(subscriptionId)));
      return new Lane({ ...claimed, key, now: performance.now() });
    } catch (error) {
      logger.error({ error: describeError(error), subscriptionId }, 'lane does not open');
      return undefined;
    }
  };

  const fetchDue = async (): Promise<void> => {
    const now = performance.now();
    const hungry = [...lanes.values()]
      .map((lane) => ({ lane, wanted: lane.wanted(now) }))
      .filter(({ wanted }) => wanted > 0);
    if (hungry.length === 0) return;
    const due = await findDue(pool, {
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
  };

  const releaseIdle = async (): Promise<void> => {
    const now = performance.now();
    const idle = [...lanes.values()].filter(
      (lane) => lane.busy.size === 0 && lane.inFlight === 0 && now - lane.activeAt > LINGER_MS,
    );
    if (idle.length === 0) return;
    for (const lane of idle) drop(lane);
    await releaseLanes(pool, idle);
  };

  const sweep = async (): Promise<void> => {
    const now = performance.now();
    if (now - sweptAt < SWEEP_MS) return;
    const dropped = await dropPending(pool, SWEEP_ROWS);
    if (dropped < SWEEP_ROWS) sweptAt = now;
    if (dropped > 0) logger.info({ dropped }, 'pending deliveries of deleted subscriptions dropped');
  };

  const round = async (): Promise<void> => {
    await claim();
    await fetchDue();
    for (const lane of lanes.values()) launch(lane);
    await releaseIdle();
    await sweep();
  };

  const loop = async (): Promise<void> => {
    while (!closing) {
      try {
        await round();
      } catch (error) {
        logger.warn({ error: describeError(error) }, 'dispatching is held up');
        await pause(POLL_MS);
      }
      await wakeUp.sleep(POLL_MS);
    }
  };

  const beat = async (): Promise<void> => {
    for await (const _ of ticks(HEARTBEAT_MS, drained.signal)) {
      const held = [...lanes.values()];
      if (held.length === 0) continue;
      const leaseUntil = performance.now() + LEASE_MS;
      try {
        const kept = await renewLeases(pool, held, LEASE_MS);
        for (const lane of held)
          if (kept.has(lane.subscriptionId)) lane.leaseUntil = leaseUntil;
          else if (lanes.get(lane.subscriptionId) === lane) drop(lane);
      } catch (error) {
        logger.warn({ error: describeError(error) }, 'leases not renewed');
      }
    }
  };

  const looping = loop();
  const beating = beat();

  return {
    wake() {
      claimedAt = Number.NEGATIVE_INFINITY;
      wakeUp.call();
    },
    stop(subscriptionId) {
      const lane = lanes.get(subscriptionId);
      if (lane) drop(lane);
      sweptAt = Number.NEGATIVE_INFINITY;
      wakeUp.call();
    },
    stopClient(clientId) {
      for (const lane of lanes.values()) if (lane.clientId === clientId) drop(lane);
    },
    async close() {
      closing = true;
      wakeUp.call();
      await looping;
      await Promise.all(attempts);
      await writer.close();
      drained.abort();
      await beating;
      if (lanes.size > 0) await releaseLanes(pool, [...lanes.values()]);
    },
  };
}

function isOverload({ outcome, httpStatus }: AttemptResult): boolean {
  return outcome === 'timeout' || outcome === 'unreachable' || httpStatus === 429 || httpStatus === 503;
}

function whatFollows(
  { outcome, retryAfter }: AttemptResult,
  plan: { schedule: RetrySchedule; attempts: number; random: number },
): OutcomeToRecord['next'] {
  if (outcome === 'accepted') return { status: 'delivered' };
  const waitMs = nextWait({ ...plan, retryAfter });
  return waitMs === undefined ? { status: 'exhausted' } : { status: 'pending', waitMs };
}

async function* ticks(milliseconds: number, signal: AbortSignal): AsyncGenerator<void> {
  while (!signal.aborted) {
    await pause(milliseconds, undefined, { signal }).catch(() => {});
    if (!signal.aborted) yield;
  }
}
