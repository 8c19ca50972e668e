import { EgressForbidden, type GuardedAgent, isConnectTimeout } from '@kontoport/egress';
import { parseTraceparent } from '@kontoport/events';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import type { AttemptOutcome, AttemptResult } from './delivery.model.ts';
import { readRetryAfter } from './retry-schedule.model.ts';

/** What is sent, and where to. */
export interface AttemptRequest {
  agent: GuardedAgent;
  url: URL;
  body: Uint8Array;
  signature: string;
  /** W3C traceparent of the event. */
  traceparent: string | undefined;
  /** How many attempts were made before. */
  attempts: number;
  /** Milliseconds for everything: name, connection, request, answer. */
  timeLimit: number;
}

/** More of an answer is not read: the connection is given up instead. */
const ANSWER_BYTES = 64 * 1024;

const tracer = trace.getTracer('@kontoport/webhook-dispatcher');

/** Makes one POST of a delivery; never rejects. Redirects are not followed. */
export async function attemptDelivery(request: AttemptRequest): Promise<AttemptResult> {
  const event = parseTraceparent(request.traceparent);
  const parent = event === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, event);
  const span = tracer.startSpan(
    'webhook attempt',
    { kind: SpanKind.CLIENT, attributes: { 'kontoport.attempt': request.attempts + 1 } },
    parent,
  );
  const headers = traceHeaders(trace.setSpan(parent, span), request.traceparent);
  // The span of the HTTP instrumentation would show the callback URL, which may hold a secret of the TPP.
  const result = await context.with(suppressTracing(ROOT_CONTEXT), () => post(request, headers));
  span.setAttribute('kontoport.outcome', result.outcome);
  if (result.httpStatus !== undefined) span.setAttribute('http.response.status_code', result.httpStatus);
  if (result.outcome !== 'accepted') span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
  return result;
}

async function post(request: AttemptRequest, traceHeaders: Record<string, string>): Promise<AttemptResult> {
  const { agent, url, body, signature, timeLimit } = request;
  const startedAt = new Date();
  const started = performance.now();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), timeLimit);
  const ended = (outcome: AttemptOutcome) => ({
    outcome,
    startedAt,
    milliseconds: Math.round(performance.now() - started),
  });
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'kontoport-webhooks',
        'x-hmac-signature': signature,
        ...traceHeaders,
      },
      body,
      signal: abort.signal,
    });
    // The status decides; the rest of the answer is read only to keep the connection, and lost without harm.
    await answer.body.dump({ limit: ANSWER_BYTES, signal: abort.signal }).catch(() => {});
    const { statusCode: httpStatus, headers } = answer;
    if (httpStatus >= 200 && httpStatus < 300) return { ...ended('accepted'), httpStatus };
    const retryAfter =
      httpStatus === 429 || httpStatus === 503
        ? readRetryAfter(headers['retry-after'], new Date())
        : undefined;
    return { ...ended('rejected'), httpStatus, retryAfter };
  } catch (error) {
    return ended(abort.signal.aborted ? 'timeout' : outcomeOf(error));
  } finally {
    clearTimeout(timer);
  }
}

function outcomeOf(error: unknown): AttemptOutcome {
  if (error instanceof EgressForbidden) return 'forbidden';
  return isConnectTimeout(error) ? 'timeout' : 'unreachable';
}

/** The context of the attempt's span; without an SDK there is none, and the event's is handed on as it came. */
function traceHeaders(attempt: Context, traceparent: string | undefined): Record<string, string> {
  const headers: Record<string, string> = traceparent === undefined ? {} : { traceparent };
  propagation.inject(attempt, headers);
  return headers;
}
