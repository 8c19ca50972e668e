import { ApiError } from '@kontoport/errors';
import type { IRoute, Router } from 'express';
import { rejectDuplicateHeaders } from './duplicate-headers.ts';
import { readBody } from './read-body.ts';
import { type OutcomeDeps, recordOutcome } from './record-outcome.ts';
import type { Step } from './request-context.ts';
import { declareDurations } from './request-metrics.ts';
import type { Authenticator, Method, Route, SecurityRule } from './route.ts';
import {
  authenticate,
  findResource,
  handle,
  readParams,
  readQuery,
  rejectBadRequestId,
  requireExistence,
  simulateFault,
  takeRoute,
} from './steps.ts';
import { HTTP_TEXTS } from './texts.ts';

/** Dependencies of the steps of all routes. */
export interface StepDeps<S extends SecurityRule> extends OutcomeDeps {
  gate: Authenticator<S>;
}

const VERBS = {
  GET: 'get',
  POST: 'post',
  PUT: 'put',
  PATCH: 'patch',
  DELETE: 'delete',
} as const satisfies Record<Method, string>;

/** Mounts a route list. Express takes the first path that matches, so paths without names go before those with names. */
export function mountRoutes<S extends SecurityRule>(
  router: Router,
  routes: readonly Route<S>[],
  deps: StepDeps<S>,
): void {
  const paths = [...new Set(routes.map(({ path }) => path))];
  const hasName = (path: string): boolean => path.includes('/:');
  for (const path of [...paths.filter((each) => !hasName(each)), ...paths.filter(hasName)]) {
    const own = routes.filter((route) => route.path === path);
    const place = router.route(path);
    for (const route of own) mount(place, route, deps);
    mountOtherMethods(place, own, deps);
  }
}

/** Mounts the steps of a route in the order in which each may refuse (§4): 401 or 403, 404, 400. */
function mount<S extends SecurityRule>(place: IRoute, route: Route<S>, deps: StepDeps<S>): void {
  declareDurations(route);
  const { simulateFault: simulate } = deps.gate;
  place[VERBS[route.method]](
    takeRoute(route),
    rejectBadRequestId,
    rejectDuplicateHeaders,
    authenticate(deps.gate, route),
    ...(simulate === undefined || route.security.kind === 'public' ? [] : [simulateFault(simulate)]),
    readParams(route),
    findResource(route),
    readQuery(route),
    ...readBody(route.body),
    handle(route, deps),
    requireExistence(route),
  );
}

/** Answers OPTIONS with the methods of a path, and refuses every other method (§4). */
function mountOtherMethods(place: IRoute, routes: readonly Route[], deps: OutcomeDeps): void {
  const own = routes.map(({ method }) => method);
  const methods = [...own.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method])), 'OPTIONS'];
  const allow = methods.join(', ');
  const errorForm = routes.find(({ errors }) => errors !== undefined)?.errors;
  const answerOptions: Step = function answerOptions(request, response) {
    response.set({ allow, 'x-request-id': response.locals.context.requestId }).status(204).send();
    recordOutcome(request, response, deps);
  };
  const allowMethods: Step = function allowMethods(_request, response, next) {
    const { context } = response.locals;
    context.errorForm = errorForm;
    context.answerHeaders.allow = allow;
    next();
  };
  const rejectMethod: Step = function rejectMethod() {
    throw new ApiError('METHOD_NOT_ALLOWED', HTTP_TEXTS('method-not-allowed', { methods: allow }));
  };
  place.options(takeRoute(routes[0]!), answerOptions).all(allowMethods, rejectDuplicateHeaders, rejectMethod);
}
