import type { Outcome } from '../src/exchange.ts';
import type { GuardedAgent } from '../src/index.ts';

/** One POST of little, and all that came of it. */
export const exchange = (agent: GuardedAgent, origin: string, timeLimit = 60_000): Promise<Outcome> =>
  agent.exchange({
    origin,
    path: '/',
    method: 'POST',
    headers: [],
    body: Buffer.from('{}'),
    maxBytes: 1_000,
    keptBytes: () => 1_000,
    timeLimit,
  });
