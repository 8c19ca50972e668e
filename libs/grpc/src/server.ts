import {
  type handleUnaryCall,
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type ApiError, toApiError } from '@kontoport/errors';
import { type Closable, describeError, inTrace, type Logger } from '@kontoport/runtime';
import { toServiceError } from './errors.ts';
import { Health } from './health.ts';

/** A generated service with the code that answers it. */
export interface Rpc {
  definition: ServiceDefinition;
  implementation: UntypedServiceImplementation;
  /** Ends streams that would not end by themselves, before the server waits for them; afterwards none may begin. */
  close?(): Promise<void>;
}

/** What a unary handler may use besides its request. */
export interface CallContext {
  /** Aborted when the caller gives up. */
  signal: AbortSignal;
}

/** A unary handler from an async function; whatever it throws leaves as an error of the one table. */
export function unary<Request, Response>(
  logger: Logger,
  handle: (request: Request, context: CallContext) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return (incoming, callback) => {
    const [traceparent] = incoming.metadata.get('traceparent');
    inTrace(traceparent?.toString(), () => answer({ logger, handle }, incoming, callback));
  };
}

function answer<Request, Response>(
  {
    logger,
    handle,
  }: {
    logger: Logger;
    handle: (request: Request, context: CallContext) => Promise<Response>;
  },
  incoming: ServerUnaryCall<Request, Response>,
  callback: sendUnaryData<Response>,
): void {
  const cancelled = new AbortController();
  incoming.on('cancelled', () => cancelled.abort());
  const started = performance.now();
  const method = incoming.getPath();
  handle(incoming.request, { signal: cancelled.signal }).then(
    (response) => {
      logger.info({ method, milliseconds: Math.round(performance.now() - started), outcome: 'ok' }, 'rpc');
      callback(null, response);
    },
    (error: unknown) => {
      const refusal = toApiError(error);
      const level = levelOf(refusal);
      logger[level](
        {
          method,
          milliseconds: Math.round(performance.now() - started),
          outcome: refusal.code,
          ...(refusal.cause === undefined ? {} : { error: describeError(refusal.cause) }),
        },
        'rpc',
      );
      callback(toServiceError(refusal));
    },
  );
}

function levelOf(refusal: ApiError): 'error' | 'warn' | 'info' {
  if (refusal.code === 'INTERNAL_ERROR') return 'error';
  return refusal.code === 'UNAVAILABLE' ? 'warn' : 'info';
}

const DRAIN_MS = 5_000;

/** Serves the rpcs and the gRPC health service; closing waits for calls in flight, streams at most 5 s. */
export async function startGrpcServer(options: {
  host: string;
  port: number;
  rpcs: readonly Rpc[];
}): Promise<Closable & { port: number }> {
  const server = new Server({ 'grpc.max_receive_message_length': 1 << 20 });
  const health = new Health();
  for (const { definition, implementation } of [health.rpc, ...options.rpcs])
    server.addService(definition, implementation);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${options.host}:${options.port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    port,
    async close() {
      health.drain();
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
