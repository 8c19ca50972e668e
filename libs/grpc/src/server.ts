import {
  type handleClientStreamingCall,
  type handleUnaryCall,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerReadableStream,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import { ApiError, toApiError } from '@kontoport/errors';
import type { InternalTls } from '@kontoport/internal-tls';
import { type Closable, describeError, type Logger } from '@kontoport/lifecycle';
import { withTrace } from '@kontoport/telemetry';
import { toServiceError } from './errors.ts';
import { Health } from './health.ts';
import { restrictCallers } from './restrict-callers.ts';
import { measureAnswer } from './rpc-metrics.ts';
import type { Rpc } from './rpc.ts';
import { GRPC_TEXTS } from './texts.ts';
import { listenTls } from './tls-listener.ts';

/** The context of a call, for its handler. */
export interface CallContext {
  /** Aborted when the caller cancels. */
  signal: AbortSignal;
}

/** Makes a unary handler of an async function. Errors are answered by the error table. */
export function unary<Request, Response>(
  logger: Logger,
  handle: (request: Request, context: CallContext) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (incoming, callback) =>
    answer({ logger, incoming, callback }, (context) => handle(incoming.request, context));
}

/** Milliseconds for an upload. Ends uploads that stop sending. */
const UPLOAD_LIMIT_MS = 60_000;

/**
 * Makes a handler of a stream of requests with one answer. Backpressure follows the reader. An upload of more than a
 * minute is UNAVAILABLE.
 */
export function uploading<Request, Response>(
  logger: Logger,
  handle: (requests: AsyncIterable<Request>, context: CallContext) => Promise<Response>,
): handleClientStreamingCall<Request, Response> {
  return (incoming, callback) => {
    const limit = setTimeout(() => incoming.destroy(new Error('the caller is too slow')), UPLOAD_LIMIT_MS);
    incoming.once('cancelled', () => incoming.destroy(new Error('the caller is gone')));
    answer({ logger, incoming, callback }, (context) =>
      handle(messagesOf(incoming), context).finally(() => {
        clearTimeout(limit);
        // Drops further messages of a refused caller.
        incoming.resume();
      }),
    );
  };
}

/** Yields the messages of a stream. @throws ApiError UNAVAILABLE when it breaks off */
async function* messagesOf<Request>(
  incoming: ServerReadableStream<Request, unknown>,
): AsyncIterable<Request> {
  try {
    yield* incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Request>;
  } catch (error) {
    throw new ApiError('UNAVAILABLE', GRPC_TEXTS('upload-broken'), { cause: error });
  }
}

interface Answering<Request, Response> {
  logger: Logger;
  incoming: ServerUnaryCall<Request, Response> | ServerReadableStream<Request, Response>;
  callback: sendUnaryData<Response>;
}

/** Runs a handler in the caller's trace, and answers, measures and logs its outcome. */
function answer<Request, Response>(
  { logger, incoming, callback }: Answering<Request, Response>,
  handle: (context: CallContext) => Promise<Response>,
): void {
  const [traceparent] = incoming.metadata.get('traceparent');
  const cancelled = new AbortController();
  let isAnswered = false;
  // gRPC emits it at the end of every call. An abort after the answer would cost more than its handler.
  incoming.once('cancelled', () => isAnswered || cancelled.abort());
  const started = performance.now();
  const method = incoming.getPath();
  const log = (level: 'error' | 'warn' | 'info', outcome: object): void =>
    logger[level]({ method, milliseconds: Math.round(performance.now() - started), ...outcome }, 'rpc');
  const succeed = (response: Response): void => {
    isAnswered = true;
    measureAnswer(started, { path: method });
    log('info', { outcome: 'ok' });
    callback(null, response);
  };
  const fail = (error: unknown): void => {
    isAnswered = true;
    const { code, cause } = toApiError(error);
    const answered = toServiceError(error);
    measureAnswer(started, { path: method, refusal: { status: answered.code, errorCode: code } });
    const level = code === 'INTERNAL_ERROR' ? 'error' : code === 'UNAVAILABLE' ? 'warn' : 'info';
    log(level, { outcome: code, ...(cause === undefined ? {} : { error: describeError(cause) }) });
    callback(answered);
  };
  withTrace(traceparent?.toString(), () => {
    handle({ signal: cancelled.signal }).then(succeed, fail);
  });
}

const DRAIN_MS = 5_000;

/**
 * Serves the rpcs and the gRPC health service. Closing waits for calls in flight, and at most 5 s for streams. With
 * internal TLS every caller authenticates, and a method refuses other callers with PERMISSION_DENIED.
 */
export async function startGrpcServer(options: {
  host: string;
  port: number;
  rpcs: readonly Rpc[];
  /** Absent: plaintext. */
  tls?: InternalTls | undefined;
}): Promise<Closable & { port: number }> {
  const { tls } = options;
  const server = new Server({ 'grpc.max_receive_message_length': 1 << 20 });
  const health = new Health();
  server.addService(health.rpc.definition, health.rpc.implementation);
  for (const rpc of options.rpcs)
    server.addService(
      rpc.definition,
      tls === undefined ? rpc.implementation : restrictCallers({ rpc, logger: tls.logger }),
    );
  const listener =
    tls === undefined ? await listen(server, options) : await listenTls({ ...options, server, tls });
  return {
    port: listener.port,
    async close() {
      health.drain();
      listener.close();
      await Promise.all(options.rpcs.map(async (rpc) => rpc.close?.()));
      await new Promise<void>((resolve) => {
        const force = setTimeout(() => server.forceShutdown(), DRAIN_MS);
        server.tryShutdown(() => {
          clearTimeout(force);
          resolve();
        });
      });
    },
  };
}

async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<{ port: number; close(): void }> {
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(
      `${host.includes(':') ? `[${host}]` : host}:${port}`,
      ServerCredentials.createInsecure(),
      (error, at) => (error ? reject(error) : resolve(at)),
    );
  });
  // The server closes its own listener.
  return { port: bound, close: () => {} };
}
