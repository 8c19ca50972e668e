export { fetchBounded, type BoundedRequest, type Fetched } from './fetch-bounded.ts';
export {
  createGuardedAgent,
  EgressForbidden,
  type GuardedAgent,
  type GuardedAgentOptions,
  isConnectTimeout,
} from './guarded-agent.ts';
export { type EgressRule, isAllowedAddress, isPublicAddress } from './public-address.ts';
