import { ApiError } from '@kontoport/errors';
import { z } from 'zod';
import { checkShape } from './check-shape.ts';
import { type OutcomeDeps, recordOutcome } from './record-outcome.ts';
import type { ErrorStep, Step } from './request-context.ts';
import type { Authenticator, Route, SecurityRule } from './route.ts';
import { sendReply } from './send-reply.ts';
import { HTTP_TEXTS } from './texts.ts';
import { toRefusal } from './to-refusal.ts';

const NO_QUERY = z.strictObject({});

/** Records the route that answers, and its prefix. */
export function takeRoute(route: Route): Step {
  return function takeRoute(request, response, next) {
    const { context } = response.locals;
    context.route = route;
    context.path = request.baseUrl + route.path;
    context.errorForm = route.errors;
    next();
  };
}

export const rejectBadRequestId: Step = function rejectBadRequestId(_request, response, next) {
  if (response.locals.context.isRequestIdBad)
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('request-id-invalid'));
  next();
};

/** Authenticates the caller by certificate, token and scope. */
export function authenticate<S extends SecurityRule>(gate: Authenticator<S>, { security }: Route<S>): Step {
  return async function authenticate(request, response, next) {
    const { context } = response.locals;
    const { now, answerHeaders: headers, identity } = context;
    context.caller = await gate.authenticate(security, { request, now, headers, identity });
    next();
  };
}

/** Simulates the fault that an authenticated caller requests. The request counts in no metric, so that it raises no alert. */
export function simulateFault(simulate: NonNullable<Authenticator<SecurityRule>['simulateFault']>): Step {
  return async function simulateFault(request, response, next) {
    const fault = request.headers['x-sandbox-fault'];
    if (fault !== undefined) {
      const { context } = response.locals;
      const { now, answerHeaders: headers, identity } = context;
      context.isSimulated = true;
      await simulate(String(fault), { request, now, headers, identity });
    }
    next();
  };
}

export function readParams({ params, unknown }: Route): Step {
  return function readParams(request, response, next) {
    if (params !== undefined) {
      const { success, data } = params.safeParse(request.params);
      if (!success) throw unknown?.() ?? new ApiError('RESOURCE_UNKNOWN', HTTP_TEXTS('resource-unknown'));
      response.locals.context.params = data;
    }
    next();
  };
}

export function findResource({ resource }: Route): Step {
  return async function findResource(_request, response, next) {
    const { context } = response.locals;
    if (resource !== undefined) context.resource = await resource(context);
    next();
  };
}

/**
 * Checks the query. A guarded route without a schema accepts none (ADR-0002). A public document ignores parameters that
 * browsers and caches add.
 */
export function readQuery({ query, security }: Route): Step {
  const isIgnored = query === undefined && security.kind === 'public';
  return function readQuery(request, response, next) {
    if (!isIgnored) {
      const given = checkShape(query ?? NO_QUERY, request.query, 'query');
      if (query !== undefined) response.locals.context.query = given;
    }
    next();
  };
}

export function handle(route: Route, deps: OutcomeDeps): Step {
  return async function handle(request, response) {
    const reply = await route.handler(response.locals.context);
    sendReply(response, reply);
    recordOutcome(request, response, deps);
  };
}

/** Puts the 404 before the 400 for a route that does not look up its resource first. */
export function requireExistence({ exists }: Route): ErrorStep {
  return async function requireExistence(error: unknown, _request, response, next) {
    const { context } = response.locals;
    const isAuthenticated = context.caller !== undefined;
    if (exists !== undefined && isAuthenticated && toRefusal(error).status === 400) await exists(context);
    next(error);
  };
}
