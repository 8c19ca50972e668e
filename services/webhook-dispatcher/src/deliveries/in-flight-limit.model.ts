/** Maximum number of POSTs in flight to one endpoint, and the time at which it was last lowered. */
export interface InFlightLimit {
  /** Fractional between the steps; `floor` counts. */
  readonly limit: number;
  /** Milliseconds of a monotonic clock. */
  readonly loweredAt: number;
}

/** The load of the endpoint that an attempt shows. */
export interface AttemptLoad {
  /** Milliseconds of the same clock. */
  startedAt: number;
  endedAt: number;
  /** No answer, or one that reports overload (429, 503). */
  overloaded: boolean;
}

export const IN_FLIGHT = { start: 16, least: 1, most: 64 };

/** An answer within this time shows room for more; beyond `SLOW_MS` the endpoint is taken for overloaded. */
const FAST_MS = 1_000;
const SLOW_MS = 5_000;

export const initialLimit: InFlightLimit = {
  limit: IN_FLIGHT.start,
  loweredAt: Number.NEGATIVE_INFINITY,
};

/** The whole number that may be in flight. */
export function allowedInFlight({ limit }: InFlightLimit): number {
  return Math.floor(limit);
}

/**
 * Additive increase, halving: one more for each full round of fast answers, half for overload. Attempts that were
 * already on their way when the limit was lowered do not lower it again.
 */
export function afterAttempt(current: InFlightLimit, load: AttemptLoad): InFlightLimit {
  const took = load.endedAt - load.startedAt;
  if (load.overloaded || took > SLOW_MS) {
    if (load.startedAt < current.loweredAt) return current;
    return { limit: Math.max(IN_FLIGHT.least, current.limit / 2), loweredAt: load.endedAt };
  }
  if (took > FAST_MS) return current;
  return { ...current, limit: Math.min(IN_FLIGHT.most, current.limit + 1 / current.limit) };
}
