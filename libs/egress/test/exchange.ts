import type { Outcome } from '../src/exchange.ts';
import type { GuardedAgent } from '../src/index.ts';

/** Makes one small POST. @returns its outcome */
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
