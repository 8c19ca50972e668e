export {
  type AccessToken,
  createAccessTokenVerifier,
  TOKEN_AUDIENCE,
  type VerifyAccessToken,
} from './access-token.ts';
export type { EdgeFormat } from './edge-format.ts';
export { createPeerChainReader, type EdgeTrust, type PeerChain } from './edge-identity.ts';
export { openGate, type GateConfig } from './open-gate.ts';
export { RateLimits, type RateLimitsOptions, type Usage } from './rate-limits.ts';
export { route, type Route } from './route.ts';
export { type Gate, type Principal, type Security } from './security.ts';
