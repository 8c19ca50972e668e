export {
  type AccessToken,
  createAccessTokenVerifier,
  TOKEN_AUDIENCE,
  type VerifyAccessToken,
} from './access-token.ts';
export type { EdgeFormat } from './edge-format.ts';
export { createPeerChainReader } from './edge-identity.ts';
export { openGate } from './open-gate.ts';
export { RateLimits, type Usage } from './rate-limits.ts';
export { route, type Route } from './route.ts';
export { type Gate, type Security } from './security.ts';
