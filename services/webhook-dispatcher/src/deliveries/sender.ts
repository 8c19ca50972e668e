import type { ClientDirectory } from '@kontoport/client-directory';
import { seal, type SealingKeys } from '@kontoport/database';
import type { GuardedAgent } from '@kontoport/egress';
import { FairShares } from '@kontoport/fairness';
import type { Logger } from '@kontoport/lifecycle';
import { continueTrace } from '@kontoport/telemetry';
import { attemptDelivery } from './attempt-delivery.ts';
import {
  type AttemptResult,
  bodyOf,
  type DeliveryKey,
  type DueDelivery,
  excerptContext,
  isGone,
  isOverload,
  type MadeAttempt,
  nextStepAfter,
} from './delivery.model.ts';
import type { OutcomeWriter } from './outcome-writer.ts';
import type { RetrySchedule } from './retry-schedule.model.ts';
import { signBody, standardHeaders } from './sign-body.model.ts';
import type { SubscriptionQueue } from './subscription-queue.ts';

/** POSTs in flight in this process. Each queue may have one in any case. */
const MAX_IN_FLIGHT = 1_024;
const ATTEMPT_LIMIT_MS = 15_000;

/** Sends the deliveries of queues, with a concurrency limit for each queue. */
export class Sender {
  readonly #options: SenderOptions;
  #inFlight = 0;
  #onEmpty: (() => void) | undefined;
  readonly #shares: FairShares;
  #closing = false;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#shares = new FairShares({ max: MAX_IN_FLIGHT, share: options.share });
  }

  /** Sends the deliveries that may be sent now. Every attempt that ends calls it again. */
  sendDue(queue: SubscriptionQueue): void {
    const { party } = queue;
    if (this.#closing || !this.#mayReceive(party.clientId)) return;
    for (;;) {
      queue.isThrottled = queue.inFlight > 0 && this.#shares.boundOf(party) !== undefined;
      const delivery = queue.isThrottled ? undefined : queue.next(performance.now());
      if (delivery === undefined) break;
      continueTrace(delivery.traceparent ?? undefined, () => void this.#send(queue, delivery));
    }
    if (queue.hasMore && queue.wanted(performance.now()) > 0) this.#options.onCapacity();
  }

  /** Stops sending, and waits for attempts in flight and their outcomes. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
    await this.#options.outcomes.close();
  }

  /** Whether a client may receive. While the directory does not answer it may not, because it may have been deleted. */
  #mayReceive(clientId: string): boolean {
    try {
      return !this.#options.directory.find(clientId)?.deleted;
    } catch {
      return false;
    }
  }

  async #send(queue: SubscriptionQueue, delivery: DueDelivery): Promise<void> {
    const { agent, schedule, outcomes, logger } = this.#options;
    const { eventId, place, attempts, step } = delivery;
    const { callbackUrl, origin, path } = queue;
    this.#begin(queue);
    const startedAt = performance.now();
    const body = bodyOf(queue.id, delivery.content);
    const result = await attemptDelivery({
      agent,
      origin,
      path,
      body,
      signatures: [
        'X-HMAC-Signature',
        signBody(queue.key, body),
        ...standardHeaders(queue.key, { eventId, sentAt: new Date(), body }),
      ],
      attempts,
      timeLimit: ATTEMPT_LIMIT_MS,
    });
    const endedAt = performance.now();
    const { subscriptionId, claimId } = queue;
    const { outcome, reason, httpStatus, milliseconds } = result;
    const isAnswered = httpStatus !== undefined;
    const isAccepted = outcome === 'accepted';
    if (queue.recordAttempt({ startedAt, endedAt, overloaded: isOverload(result), isAnswered, isAccepted }))
      logger.info({ subscriptionId, outages: queue.outages }, 'receiver does not answer, its queue waits');
    const plan = { schedule, attempts: step + 1, inAll: attempts + 1, random: Math.random() };
    const next = nextStepAfter(result, plan);
    const pause = isGone(result);
    const made = {
      startedAt: result.startedAt.toISOString(),
      milliseconds,
      outcome,
      ...(reason && { reason }),
      ...(httpStatus === undefined ? {} : { httpStatus }),
      ...this.#sealed(result, { subscriptionId, eventId }),
    };
    outcomes.add({ subscriptionId, claimId, eventId, place, attempts, made, next, pause, callbackUrl });
    if (pause) queue.revoke();
    logger.info(
      { eventId, subscriptionId, attempt: attempts + 1, outcome, reason, httpStatus, milliseconds, ...next },
      'delivery attempted',
    );
    this.#end(queue);
  }

  /** Seals the excerpt of an answer, which may repeat the body that was sent. */
  #sealed({ excerpt }: AttemptResult, key: DeliveryKey): Pick<MadeAttempt, 'sealedExcerpt'> {
    if (excerpt === undefined || excerpt.length === 0) return {};
    const sealed = seal(this.#options.secretsKeys, excerpt, excerptContext(key));
    return { sealedExcerpt: sealed.toString('base64') };
  }

  #begin(queue: SubscriptionQueue): void {
    this.#inFlight += 1;
    queue.inFlight += 1;
    this.#shares.acquire(queue.party);
  }

  /** Ends an attempt, and sends the next. */
  #end(queue: SubscriptionQueue): void {
    this.#inFlight -= 1;
    queue.inFlight -= 1;
    this.#shares.release(queue.party);
    if (this.#inFlight === 0) this.#onEmpty?.();
    this.sendDue(queue);
  }
}

export interface SenderOptions {
  agent: GuardedAgent;
  secretsKeys: SealingKeys;
  directory: Pick<ClientDirectory, 'find'>;
  schedule: RetrySchedule;
  outcomes: OutcomeWriter;
  /** Part of the POSTs not yet in flight that a client, and an organization, may have. */
  share: number;
  /** Called when a queue could send more than it has. */
  onCapacity: () => void;
  logger: Logger;
}
