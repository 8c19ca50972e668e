import type { Verdict } from '@kontoport/certificates';
import { ApiError } from '@kontoport/errors';
import { TEXTS } from '../texts.ts';

/** Changes of one organization that are worked on at a time. */
const IN_HAND = 3;
/** Changes of one organization that wait for their turn. */
const WAITING = 100;

interface Lane {
  inHand: number;
  waiting: (() => void)[];
}

/**
 * Who has the turn to change clients (§4.2). A change holds a connection of the database while it waits for others of its
 * client; changes of one organization wait here instead, so that another one always finds a connection.
 */
export class Turns {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Does the work when the organization has a turn, in the order of asking.
   * @throws ApiError RATE_LIMITED at once when too many wait
   */
  async within<T>(
    caller: { proven: { certificate: Verdict }; signal: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T> {
    const { identifier } = caller.proven.certificate.organization;
    const lane = this.#lanes.get(identifier) ?? { inHand: 0, waiting: [] };
    this.#lanes.set(identifier, lane);
    if (lane.inHand < IN_HAND) lane.inHand += 1;
    else await wait(lane);
    try {
      caller.signal.throwIfAborted();
      return await work();
    } finally {
      const next = lane.waiting.shift();
      if (next !== undefined) next();
      else if ((lane.inHand -= 1) === 0) this.#lanes.delete(identifier);
    }
  }
}

function wait({ waiting }: Lane): Promise<void> {
  if (waiting.length >= WAITING)
    throw new ApiError('RATE_LIMITED', TEXTS('changes-too-many', { most: IN_HAND + WAITING }), {
      retryAfterSeconds: 1,
    });
  return new Promise((resolve) => waiting.push(resolve));
}
