import type { ClientDirectory } from '@kontoport/client-directory';
import type { GuardedAgent } from '@kontoport/egress';
import type { Logger } from '@kontoport/runtime';
import { attemptDelivery } from './attempt-delivery.ts';
import { type DueDelivery, isGone, isOverload, whatFollows } from './delivery.model.ts';
import { afterAttempt } from './in-flight-limit.model.ts';
import type { Lane } from './lane.ts';
import type { OutcomeWriter } from './outcome-writer.ts';
import type { RetrySchedule } from './retry-schedule.model.ts';
import { signBody } from './sign-body.model.ts';

/** POSTs in flight in this process. Beyond it a lane has one at most, so that slow receivers cannot use it all up. */
const MAX_IN_FLIGHT = 1_024;
const ATTEMPT_LIMIT_MS = 15_000;

/** Sends what lanes have in hand, as much at once as each of them bears. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #attempts = new Set<Promise<void>>();
  #closing = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Sends what may be sent now; every end of an attempt does so again. */
  sendDue(lane: Lane): void {
    if (this.#closing || !this.#mayReceive(lane.clientId)) return;
    while (this.#attempts.size < MAX_IN_FLIGHT || lane.inFlight === 0) {
      const delivery = lane.take(performance.now());
      if (delivery === undefined) break;
      lane.inFlight += 1;
      const attempt = this.#send(lane, delivery).finally(() => {
        this.#attempts.delete(attempt);
        lane.inFlight -= 1;
        this.sendDue(lane);
      });
      this.#attempts.add(attempt);
    }
    if (lane.more && !lane.lost && lane.wanted(performance.now()) > 0) this.#options.onHungry();
  }

  /** Sends nothing more, and waits for what is in flight and for its outcomes. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#attempts);
    await this.#options.outcomes.close();
  }

  /** A silent directory cannot say that the client was not deleted a moment ago: its deliveries wait. */
  #mayReceive(clientId: string): boolean {
    try {
      return !this.#options.directory.find(clientId)?.deleted;
    } catch {
      return false;
    }
  }

  async #send(lane: Lane, { id, body, attempts: made, traceparent }: DueDelivery): Promise<void> {
    const { agent, schedule, outcomes, logger } = this.#options;
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
    const pause = isGone(result);
    outcomes.add({
      subscriptionId,
      claimId,
      deliveryId: id,
      attempts: made,
      startedAt: result.startedAt,
      milliseconds,
      outcome,
      httpStatus,
      next,
      pause,
    });
    if (pause) lane.lose();
    logger.info(
      { deliveryId: id, subscriptionId, attempt: made + 1, outcome, httpStatus, milliseconds, ...next },
      'delivery attempted',
    );
  }
}

export interface SenderOptions {
  agent: GuardedAgent;
  directory: Pick<ClientDirectory, 'find'>;
  schedule: RetrySchedule;
  outcomes: OutcomeWriter;
  /** Called when a lane could send more than it has in hand. */
  onHungry: () => void;
  logger: Logger;
}
