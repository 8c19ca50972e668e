import { call } from '@kontoport/grpc';
import { type Logger, Loop } from '@kontoport/lifecycle';
import type { ClientClockServiceClient } from '@kontoport/proto/accounts/v1';

/** The lead of each client's clock over real time. Only days are counted by it (ADR-0023). */
export interface ClientClocks {
  /** Milliseconds, 0 or more; it decreases only when the client's simulated bank starts over. */
  aheadMs(clientId: string): number;
}

/** The clocks and the loops that update them. */
export interface OpenedClocks {
  clocks: ClientClocks;
  loops: readonly Loop[];
}

/** The real time, for every client. */
export const systemClock: OpenedClocks = { clocks: { aheadMs: () => 0 }, loops: [] };

const POLL_MS = 500;

/** A client's clock that moved on. */
export interface MovedClock {
  clientId: string;
  /** Milliseconds by which it went on since the last move that is known. */
  byMs: number;
  now: Date;
}

/** Source of the clocks, and the listener for their moves. */
export interface ClockOptions {
  client: ClientClockServiceClient;
  /** Called once for every move: the client's due times come earlier by `byMs`. */
  onMoved: (moved: MovedClock) => void;
  logger: Logger;
}

/**
 * The clocks of the sandbox's clients, as account-information has them, at most a second later (§Sandbox).
 */
export function sandboxClocks(options: ClockOptions): OpenedClocks {
  const { client, onMoved, logger } = options;
  const ahead = new Map<string, number>();
  let since: Date | undefined;
  const follow = new Loop({
    name: 'clocks of the sandbox',
    everyMs: POLL_MS,
    retryMs: { first: POLL_MS, longest: 10_000 },
    work: async (signal) => {
      const { clocks } = await call(client, client.listMovedClocks, { since }, { signal });
      let news = false;
      for (const { clientId, offsetMilliseconds, movedAt } of clocks) {
        const offset = Number(offsetMilliseconds);
        const byMs = offset - (ahead.get(clientId) ?? 0);
        // An answer repeats the last clocks of the previous one.
        if (byMs !== 0) {
          news = true;
          ahead.set(clientId, offset);
          // Due times that came earlier stay so when the bank starts over.
          if (byMs > 0) onMoved({ clientId, byMs, now: new Date() });
        }
        since = movedAt ?? since;
      }
      return news ? 0 : POLL_MS;
    },
    logger,
  });
  return { clocks: { aheadMs: (clientId) => ahead.get(clientId) ?? 0 }, loops: [follow] };
}
