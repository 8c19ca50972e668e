import type { Shell } from '@kontoport/pages';
import express, { type Express } from 'express';
import { answerError } from './answer-error.ts';
import { expectationUnknown, hostMissing } from './broken-request.ts';
import { rejectDuplicateHeaders } from './duplicate-headers.ts';
import { mountRoutes, type StepDeps } from './mount.ts';
import type { ErrorForm } from './page.ts';
import { prefersHtml } from './preference.ts';
import { parseQuery } from './read-query.ts';
import { RequestContext, type Step } from './request-context.ts';
import { routeUnknown } from './route-unknown.ts';
import type { Route, SecurityRule } from './route.ts';
import { traceRequest } from './trace-request.ts';

export interface AppOptions<S extends SecurityRule> extends StepDeps<S> {
  routes: readonly Route<S>[];
  /** Path prefixes under which every route answers; default: none besides the plain path. */
  prefixes?: readonly string[];
  /** The name of another address that answers a path; for the message of ROUTE_UNKNOWN. */
  elsewhere?: (path: string) => string | undefined;
  /** The form of refusals that no route makes, such as of an unknown path; default: JSON. */
  errors?: ErrorForm | undefined;
  /** Renders pages; default: the look without a bank. */
  shell?: Shell | undefined;
}

/** Creates the Express app of an address. Every answer has the specified shape, errors and unknown routes included. */
export function createApp<S extends SecurityRule>(options: AppOptions<S>): Express {
  const { routes, prefixes = [] } = options;
  const router = express.Router({ caseSensitive: true });
  mountRoutes(router, routes, options);
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('query parser', parseQuery);
  // Only a route decides on a 304. Express itself answers `If-None-Match: *` with one.
  Object.defineProperty(app.request, 'fresh', { value: false });
  app.use(traceRequest, openContext(options), rejectUnusable);
  for (const prefix of ['/', ...prefixes]) app.use(prefix, router);
  app.use(rejectDuplicateHeaders, rejectUnknownRoute(options), answerError(options));
  return app;
}

function openContext<S extends SecurityRule>({ errors: errorForm, shell }: AppOptions<S>): Step {
  return function openContext(request, response, next) {
    response.locals.context = new RequestContext(request, response, { errorForm, shell });
    next();
  };
}

/** Refuses a request that Node leaves to us to refuse. */
const rejectUnusable: Step = function rejectUnusable({ headers: { host, expect } }, _response, next) {
  if (host === undefined) throw hostMissing();
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw expectationUnknown();
  next();
};

function rejectUnknownRoute<S extends SecurityRule>({ elsewhere, errors }: AppOptions<S>): Step {
  return function rejectUnknownRoute(request, response): never {
    // A person may have mistyped the path of a page; every other caller is a program.
    const wantsPage = prefersHtml(request.headers.accept);
    response.locals.context.errorForm = errors === 'html' && wantsPage ? errors : 'developers';
    throw routeUnknown(elsewhere?.(request.path));
  };
}
