export { type BodyRule, checkShape } from './body.ts';
export { type HttpServerOptions, startHttpServer } from './http-server.ts';
export {
  type Caller,
  declareRoute,
  type Gatekeeper,
  type Method,
  type Reply,
  type Route,
  type RouteDefinition,
  type RouteRequest,
  type SecurityRule,
} from './route.ts';
