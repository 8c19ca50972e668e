import {
  type Answers,
  type BodyRule,
  declareRoute,
  type Route as HttpRoute,
  type RouteDefinition,
} from '@kontoport/http';
import type { z } from 'zod';
import type { Principal, Security } from './security.ts';

/** A route with authentication, without its other type parameters. */
export type Route = HttpRoute<Security>;

/**
 * Declares a route. `security` is required, and decides the type of `principal`. The steps run in this order, and each may
 * refuse: authentication (401, 403), params and resource (404), query and body (400), handler.
 */
export function route<
  const S extends Security,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodType | undefined = undefined,
  B extends BodyRule | undefined = undefined,
  Resource = undefined,
  const A extends Answers = Answers,
>(definition: RouteDefinition<S, Principal<S>, P, Q, B, Resource, A>): Route {
  return declareRoute(definition);
}
