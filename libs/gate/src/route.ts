import { declareRoute, type Route as HttpRoute, type RouteDefinition } from '@kontoport/http';
import type { Proven, Security } from './security.ts';

/** A route behind the gate, its other types set aside. */
export type Route = HttpRoute<Security>;

/** Declares a route; without `security` it does not compile, and what `security` demands is what `proven` holds. */
export function route<const S extends Security, Body = undefined, Query = undefined>(
  definition: RouteDefinition<S, Proven<S>, Body, Query>,
): Route {
  return declareRoute(definition);
}
