export { ConcurrencyLimiter } from './concurrency-limiter.ts';
export { FairShares, type Party } from './fair-shares.ts';
export { KeyedCounter } from './keyed-counter.ts';
export { QueuedLimiter } from './queued-limiter.ts';
export { roundRobin } from './round-robin.ts';
export { secondsLeft, WindowCounter } from './window-counter.ts';
