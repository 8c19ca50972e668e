export { type AddressRange, isPrivateRange, readRange } from './address-range.ts';
export { createBoundedFetch, type BoundedFetch, type BoundedRequest, type Fetched } from './fetch-bounded.ts';
export type { FaultReason, NoAnswerReason } from './faults.ts';
export { createGuardedAgent, type GuardedAgent, type GuardedAgentOptions } from './guarded-agent.ts';
export { type PostForStatus, postForStatus, type StatusOrFault } from './post-for-status.ts';
export type { ForwardProxy } from './proxy-tunnel.ts';
export { type EgressRule, isAllowedAddress, isPublicAddress } from './public-address.ts';
