import { ApiError, type Language, toApiError } from '@kontoport/errors';
import { describeError, type Logger } from '@kontoport/runtime';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { checkShape, readBody } from './body.ts';
import { announceDeprecation } from './deprecation.ts';
import { refuseDoubled } from './doubled.ts';
import { errorReply, oauthErrorReply, pageErrorReply } from './error-reply.ts';
import { languageOf } from './language.ts';
import { observeAnswer } from './observe-answer.ts';
import { plainErrorPage } from './page.ts';
import { type Reply, sendReply } from './reply.ts';
import { type RequestId, requestIdOf } from './request-id.ts';
import type { Caller, Gatekeeper, Route, SecurityRule } from './route.ts';
import { HTTP_TEXTS } from './texts.ts';

const MAX_DISCARDED_BYTES = 1024 * 1024;
const NO_QUERY = z.strictObject({});

/** What is known of a request before any of it is checked. */
interface Opening extends RequestId {
  language: Language;
}

/** Answers the requests of one route, refusals included, and writes one line about each. */
export function serveRoute<S extends SecurityRule>(options: {
  route: Route<S>;
  gate: Gatekeeper<S>;
  logger: Logger;
}): (request: Request, response: Response) => Promise<void> {
  const { route, gate, logger } = options;
  return async (request, response) => {
    const started = performance.now();
    const opening = open(request);
    const { requestId } = opening;
    observeAnswer(request, response, route.path);
    const away = new AbortController();
    response.once('close', () => away.abort());
    let clientId: string | undefined;
    let refusal: ApiError | undefined;
    try {
      if (opening.badRequestId) throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('request-id-invalid'));
      response.setHeader('x-request-id', requestId);
      refuseDoubled(request);
      const now = new Date();
      const caller = await gate.prove(route.security, request, now);
      ({ clientId } = caller);
      const { signal } = away;
      const reply = await answer({ route, request, caller, opening, now, signal });
      sendReply(response, reply, route.deprecated);
    } catch (error) {
      refusal = toApiError(error);
      sendRefusal({ request, response, route, refusal, opening });
    }
    logOutcome(logger, refusal, {
      method: route.method,
      route: route.path,
      status: response.statusCode,
      milliseconds: Math.round(performance.now() - started),
      requestId,
      ...(clientId === undefined ? {} : { clientId }),
    });
  };
}

/** The steps after the proof, in the order in which each may refuse. */
async function answer(options: {
  route: Route;
  request: Request;
  caller: Caller;
  opening: Opening;
  now: Date;
  signal: AbortSignal;
}): Promise<Reply> {
  const { route, request, caller, opening, now, signal } = options;
  const { proven } = caller;
  const params = readParams(route, request);
  const asked = { proven, params, now, signal };
  const resource = await route.resource?.(asked);
  try {
    const query = readQuery(route, request);
    const body = route.body ? await readBody(request, route.body) : undefined;
    caller.decideLast?.();
    const { requestId, givenRequestId, language } = opening;
    const { headers } = request;
    return await route.handler({
      ...asked,
      resource,
      query,
      body,
      headers,
      requestId,
      givenRequestId,
      language,
    });
  } catch (error) {
    if (route.exists && error instanceof ApiError && error.status === 400) await route.exists(asked);
    throw error;
  }
}

/** Answers what no route took, or what broke before one could. */
export function refuse(options: {
  request: Request;
  response: Response;
  error: unknown;
  logger: Logger;
}): void {
  const { request, response, error, logger } = options;
  const refusal =
    error instanceof URIError ? new ApiError('FORMAT_ERROR', HTTP_TEXTS('path-invalid')) : toApiError(error);
  const opening = open(request);
  observeAnswer(request, response, undefined);
  sendRefusal({ request, response, refusal, opening });
  const { requestId } = opening;
  logOutcome(logger, refusal, { method: request.method, status: response.statusCode, requestId });
}

function open(request: Request): Opening {
  return { ...requestIdOf(request), language: languageOf(request.headers) };
}

function readParams(route: Route, request: Request): unknown {
  if (route.params === undefined) return {};
  const { success, data } = route.params.safeParse(request.params);
  if (success) return data;
  throw route.unknown?.() ?? new ApiError('RESOURCE_UNKNOWN', HTTP_TEXTS('resource-unknown'));
}

/** A guarded route without query schema takes none (ADR 4); a public document ignores what browsers and caches add. */
function readQuery(route: Route, request: Request): unknown {
  if (route.query) return checkShape(route.query, queryOf(request), 'query');
  if (route.security.kind !== 'public') checkShape(NO_QUERY, queryOf(request), 'query');
  return undefined;
}

function queryOf(request: Request): Record<string, string> {
  const start = request.url.indexOf('?');
  const pairs = [...new URLSearchParams(start < 0 ? '' : request.url.slice(start))];
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length)
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('query-twice'));
  return Object.fromEntries(pairs);
}

function sendRefusal(options: {
  request: Request;
  response: Response;
  refusal: ApiError;
  opening: Opening;
  route?: Route;
}): void {
  const { request, response, refusal, opening, route } = options;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { requestId } = opening;
  const { status, headers, body } = refusalReply(refusal, { opening, route, accept: request.headers.accept });
  response.setHeader('x-request-id', requestId);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (route?.deprecated) announceDeprecation(response, route.deprecated);
  if (!request.complete) discardRest(request);
  response.statusCode = status;
  response.end(request.method === 'HEAD' ? undefined : body);
}

function refusalReply(
  refusal: ApiError,
  options: { opening: Opening; route: Route | undefined; accept: string | undefined },
) {
  const { opening, route, accept } = options;
  const { requestId, language } = opening;
  if (route?.errors === 'oauth') return oauthErrorReply(refusal);
  if (route?.errors === undefined) return errorReply(refusal, { requestId, accept, language });
  const page = route.errors === 'html' ? plainErrorPage : route.errors;
  return pageErrorReply(page, { error: refusal, requestId, language });
}

/**
 * Reads and drops what the caller still sends, within bounds: a connection closed under it could lose the answer
 * (RFC 9112 §9.6).
 */
function discardRest(request: Request): void {
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > MAX_DISCARDED_BYTES) request.destroy();
  });
}

/** One line per request; a path is never part of it, for it carries account ids. */
function logOutcome(logger: Logger, refusal: ApiError | undefined, fields: Record<string, unknown>): void {
  if (refusal === undefined) return logger.info(fields, 'request');
  const level = refusal.code === 'INTERNAL_ERROR' ? 'error' : refusal.status === 503 ? 'warn' : 'info';
  const silent = level === 'info' || refusal.cause === undefined;
  const error = silent ? {} : { error: describeError(refusal.cause) };
  logger[level]({ ...fields, errorCode: refusal.code, ...error }, 'request');
}
