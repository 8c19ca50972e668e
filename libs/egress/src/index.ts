export { isPrivateRange, readRange } from './address-range.ts';
export { createBoundedFetch, type BoundedFetch, type BoundedRequest } from './fetch-bounded.ts';
export type { NoAnswerReason } from './faults.ts';
export { createGuardedAgent, type GuardedAgent, type GuardedAgentOptions } from './guarded-agent.ts';
export { postForStatus, type StatusOrFault } from './post-for-status.ts';
export type { ForwardProxy } from './proxy-tunnel.ts';
export { type EgressRule, isAllowedAddress } from './public-address.ts';
