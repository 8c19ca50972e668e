export {
  type AccessToken,
  createAccessTokenVerifier,
  TOKEN_AUDIENCE,
  type VerifyAccessToken,
} from './access-token.ts';
export { type BodyRule, checkShape } from './body.ts';
export { createPeerChainReader, type EdgeTrust, type PeerChain } from './edge-identity.ts';
export { type HttpServerOptions, startHttpServer } from './http-server.ts';
export { openGate, type GateConfig } from './open-gate.ts';
export { type Method, type Reply, route, type Route, type RouteRequest } from './route.ts';
export { type Gate, type Proven, type Role, type Security } from './security.ts';
