import { channel } from 'node:diagnostics_channel';
import { type GuardedAgent, postForStatus } from '@kontoport/egress';
import { durationHistogram, traceparentOf, tracer } from '@kontoport/telemetry';
import { context, isSpanContextValid, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { type AttemptResult, failedBy } from './delivery.model.ts';
import { readRetryAfter } from './retry-schedule.model.ts';

/** The request of an attempt, and its destination. */
export interface AttemptRequest {
  agent: GuardedAgent;
  /** The origin of the callback: scheme, host and port. */
  origin: string;
  /** The path of the callback, with the query. */
  path: string;
  body: Uint8Array;
  /** The headers that sign it, as names and values in turn. */
  signatures: readonly string[];
  /** The number of earlier attempts. */
  attempts: number;
  /** Milliseconds for everything: name, connection, request, answer. */
  timeLimit: number;
}

/** The rest of a longer answer is not read: the connection is closed instead. */
const ANSWER_BYTES = 16 * 1024;
/** Bytes of an answer with all its headers, interim ones included, and the framing of its body; for the agent that makes the attempts. */
export const MAX_ANSWER_BYTES = 64 * 1024;
/** Bytes of a refusal that are stored for its TPP to read. */
const EXCERPT_BYTES = 1024;

const durations = durationHistogram({
  name: 'kontoport.webhook.attempt.duration',
  help: 'Duration of attempts to deliver a webhook, by outcome and by the reason of a failure.',
});

/** Publishes each request: headers as names and values in turn, and body. Only tests subscribe. */
const sent = channel('kontoport.webhook');

/** Makes one POST of a delivery, within the trace of its event; never rejects. Redirects are not followed. */
export async function attemptDelivery(request: AttemptRequest): Promise<AttemptResult> {
  const { hostname, port, protocol } = new URL(request.origin);
  const span = tracer.startSpan('webhook attempt', {
    kind: SpanKind.CLIENT,
    attributes: {
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'kontoport.attempt': request.attempts + 1,
    },
  });
  const place = span.spanContext();
  const headers = isSpanContextValid(place) ? ['traceparent', traceparentOf(place)] : [];
  // The instrumentation of undici would record the same once more.
  const result = await context.with(suppressTracing(context.active()), () => post(request, headers));
  const { outcome, reason, milliseconds, httpStatus } = result;
  durations.record(milliseconds, { outcome, ...(reason && { reason }) });
  span.setAttribute('kontoport.outcome', outcome);
  if (httpStatus !== undefined) span.setAttribute('http.response.status_code', httpStatus);
  if (reason !== undefined) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', reason);
  span.end();
  return result;
}

async function post(request: AttemptRequest, headers: string[]): Promise<AttemptResult> {
  const { agent, origin, path, body, signatures, timeLimit } = request;
  if (sent.hasSubscribers) sent.publish({ headers: [...signatures, ...headers], body });
  const startedAt = new Date();
  const started = performance.now();
  const result = await postForStatus(agent, {
    origin,
    path,
    headers: [
      'content-type',
      'application/json',
      'user-agent',
      'kontoport-webhooks',
      ...signatures,
      ...headers,
    ],
    body,
    maxBytes: ANSWER_BYTES,
    excerptBytes: EXCERPT_BYTES,
    timeLimit,
  });
  const milliseconds = Math.round(performance.now() - started);
  if ('fault' in result) return { ...failedBy(result.fault), startedAt, milliseconds };
  const { status: httpStatus, excerpt } = result;
  if (httpStatus >= 200 && httpStatus < 300)
    return { outcome: 'accepted', startedAt, milliseconds, httpStatus };
  const retryAfter =
    httpStatus === 429 || httpStatus === 503 ? readRetryAfter(result.retryAfter, new Date()) : undefined;
  return { ...failedBy('status'), startedAt, milliseconds, httpStatus, retryAfter, excerpt };
}
