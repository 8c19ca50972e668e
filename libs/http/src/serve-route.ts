import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, toApiError } from '@kontoport/errors';
import { describeError, type Logger } from '@kontoport/runtime';
import { z } from 'zod';
import { Asked, type Opening } from './asked.ts';
import { checkShape, hasBody, MAX_DETAILS, MAX_PATH, readBody } from './body.ts';
import { type Deprecation, deprecationHeaders } from './deprecation.ts';
import { discardRest, MAX_DISCARDED_BYTES } from './discard-rest.ts';
import { refuseDoubled } from './doubled.ts';
import { headerList, headerOf } from './header-values.ts';
import { languageOf } from './language.ts';
import { observeAnswer } from './observe-answer.ts';
import { type ErrorForm, refusalReply } from './refusal-reply.ts';
import { type Reply, sendReply } from './reply.ts';
import { requestIdOf } from './request-id.ts';
import { measureRequest, measureRoute } from './request-metrics.ts';
import { endRequestSpan } from './request-span.ts';
import type { AnswerHeaders, Caller, Gatekeeper, Route, SecurityRule } from './route.ts';
import { SHAPE_TEXTS } from './shape-texts.ts';
import { HTTP_TEXTS } from './texts.ts';

const NO_QUERY = z.strictObject({});

/** Answers the requests of one route, refusals included, and writes one line about each. */
export function serveRoute<S extends SecurityRule>(options: {
  route: Route<S>;
  /** Where it answers: its path, behind a prefix perhaps. */
  path: string;
  gate: Gatekeeper<S>;
  logger: Logger;
}): (
  request: IncomingMessage,
  response: ServerResponse,
  segments: Readonly<Record<string, string>>,
) => Promise<void> {
  const { route, path, gate, logger } = options;
  const measure = measureRoute(route);
  return async (request, response, segments) => {
    const started = performance.now();
    const opening = open(request);
    const { requestId } = opening;
    observeAnswer(request, response, route.path);
    const headers: AnswerHeaders = {};
    let clientId: string | undefined;
    let refusal: ApiError | undefined;
    try {
      if (opening.badRequestId) throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('request-id-invalid'));
      refuseDoubled(request);
      const now = new Date();
      const caller = await gate.prove(route.security, { request, now, headers });
      ({ clientId } = caller);
      const asked = new Asked({ request, response, opening, caller, now });
      const reply = await answer({ route, request, segments, caller, asked });
      sendReply(response, reply, { requestId, headers, deprecated: route.deprecated });
    } catch (error) {
      refusal = toApiError(error);
      forgetReply(response);
      const { errors: form, deprecated } = route;
      sendRefusal({ request, response, refusal, opening, form, headers, deprecated });
    }
    const { statusCode: status } = response;
    const method = request.method!;
    measure(started, { method, status, errorCode: refusal?.code });
    endRequestSpan(request, { path, status, errorCode: refusal?.code });
    logOutcome(logger, refusal, {
      method: route.method,
      route: route.path,
      status,
      milliseconds: Math.round(performance.now() - started),
      requestId,
      ...(clientId === undefined ? {} : { clientId }),
    });
  };
}

/** A reply that no header could say may have left some of its own, and its reason phrase. */
function forgetReply(response: ServerResponse): void {
  if (response.headersSent) return;
  for (const name of response.getHeaderNames()) if (name !== 'connection') response.removeHeader(name);
  // Node then says that of the status.
  response.statusMessage = '';
}

/** The steps after the proof, in the order in which each may refuse. */
async function answer(options: {
  route: Route;
  request: IncomingMessage;
  segments: Readonly<Record<string, string>>;
  caller: Caller;
  asked: Asked;
}): Promise<Reply> {
  const { route, request, segments, caller, asked } = options;
  asked.params = readParams(route, segments);
  if (route.resource) asked.resource = await route.resource(asked);
  try {
    asked.query = readQuery(route, request);
    if (route.body) asked.body = await readBody(request, route.body);
    caller.decideLast?.();
    return await route.handler(asked);
  } catch (error) {
    if (route.exists && error instanceof ApiError && error.status === 400) await route.exists(asked);
    throw error;
  }
}

/** Answers what no route took, or what broke before one could. */
export function refuse(options: {
  request: IncomingMessage;
  response: ServerResponse;
  error: unknown;
  /** Of the error body. */
  form: ErrorForm | undefined;
  logger: Logger;
}): void {
  const { request, response, error, form, logger } = options;
  const started = performance.now();
  const refusal = refusalOf(request, error);
  const opening = open(request);
  observeAnswer(request, response, undefined);
  sendRefusal({ request, response, refusal, opening, form });
  const { requestId } = opening;
  const { statusCode: status } = response;
  const method = request.method!;
  measureRequest(started, { method, route: undefined, status, errorCode: refusal.code });
  endRequestSpan(request, { path: undefined, status, errorCode: refusal.code });
  logOutcome(logger, refusal, { method, status, requestId });
}

/** Of a request that no route has, which may be doubtful in another way besides. */
function refusalOf(request: IncomingMessage, error: unknown): ApiError {
  try {
    refuseDoubled(request);
  } catch (doubled) {
    return toApiError(doubled);
  }
  if (error instanceof URIError) return new ApiError('FORMAT_ERROR', HTTP_TEXTS('path-invalid'));
  return toApiError(error);
}

function open(request: IncomingMessage): Opening {
  return { ...requestIdOf(request), language: languageOf(request) };
}

function readParams(route: Route, segments: Readonly<Record<string, string>>): unknown {
  if (route.params === undefined) return {};
  const { success, data } = route.params.safeParse(segments);
  if (success) return data;
  throw route.unknown?.() ?? new ApiError('RESOURCE_UNKNOWN', HTTP_TEXTS('resource-unknown'));
}

/** A guarded route without query schema takes none (ADR 4); a public document ignores what browsers and caches add. */
function readQuery(route: Route, request: IncomingMessage): unknown {
  if (route.query) return checkShape(route.query, queryOf(request), 'query');
  if (route.security.kind !== 'public' && request.url!.includes('?'))
    checkShape(NO_QUERY, queryOf(request), 'query');
  return undefined;
}

function queryOf({ url = '' }: IncomingMessage): Record<string, string> {
  const start = url.indexOf('?');
  if (start < 0) return {};
  const values = new Map<string, string>();
  const twice = new Set<string>();
  for (const [name, value] of new URLSearchParams(url.slice(start)))
    if (values.has(name)) twice.add(name);
    else values.set(name, value);
  if (twice.size > 0) {
    const details = [...twice].slice(0, MAX_DETAILS).map((name) => ({
      path: `query.${name}`.slice(0, MAX_PATH),
      text: SHAPE_TEXTS('twice'),
    }));
    throw new ApiError('FORMAT_ERROR', HTTP_TEXTS('query-twice'), { details });
  }
  return Object.fromEntries(values);
}

function sendRefusal(options: {
  request: IncomingMessage;
  response: ServerResponse;
  refusal: ApiError;
  opening: Opening;
  form: ErrorForm | undefined;
  headers?: AnswerHeaders;
  deprecated?: Deprecation | undefined;
}): void {
  const { request, response, refusal, opening, form, headers: told, deprecated } = options;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { requestId, language } = opening;
  const accept = headerList(request, 'accept');
  const { status, headers, body } = refusalReply(refusal, { form, requestId, accept, language });
  response.setHeader('x-request-id', requestId);
  const more = deprecated && deprecationHeaders(deprecated, headers.link);
  const all: Record<string, string | readonly string[]> = { ...told, ...headers, ...more };
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
  response.statusCode = status;
  endRefused(request, response, body);
}

/** Ends an answer whose request may not be read to its end: the rest is dropped, as far as that is worth it. */
function endRefused(request: IncomingMessage, response: ServerResponse, body: string): void {
  const content = request.method === 'HEAD' ? undefined : body;
  const isWhole = request.complete || !hasBody(request);
  const isShort = Number(headerOf(request, 'content-length')) <= MAX_DISCARDED_BYTES;
  if (isWhole || isShort) {
    response.end(content);
    if (!isWhole) discardRest(request, () => request.complete || request.destroy());
    return;
  }
  // Whoever keeps connections must not ask again on this one, all of whose bytes may be on their way already.
  response.setHeader('connection', 'close').setHeader('content-length', Buffer.byteLength(body));
  if (content === undefined) response.flushHeaders();
  else response.write(content);
  discardRest(request, () => response.end());
}

/** One line per request; a path is never part of it, for it carries account ids. */
function logOutcome(logger: Logger, refusal: ApiError | undefined, fields: Record<string, unknown>): void {
  if (refusal === undefined) return logger.info(fields, 'request');
  const level = refusal.code === 'INTERNAL_ERROR' ? 'error' : refusal.status === 503 ? 'warn' : 'info';
  const silent = level === 'info' || refusal.cause === undefined;
  const error = silent ? {} : { error: describeError(refusal.cause) };
  logger[level]({ ...fields, errorCode: refusal.code, ...error }, 'request');
}
