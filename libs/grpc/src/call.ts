import { type CallOptions, type ClientUnaryCall, Metadata, type ServiceError } from '@grpc/grpc-js';
import { activeTraceparent } from '@kontoport/telemetry';
import { fromServiceError } from './errors.ts';
import { measureCall } from './rpc-metrics.ts';

type UnaryMethod<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: Partial<CallOptions>,
  callback: (error: ServiceError | null, response: Response) => void,
) => ClientUnaryCall;

const DEFAULT_DEADLINE_MS = 2_000;

/**
 * Calls a generated unary method, with a deadline (milliseconds from now). `signal` cancels it.
 * @example const response = await call(client, client.getAccount, { clientId, accountId });
 * @throws ApiError of the error table; UNAVAILABLE when the peer is unreachable or too slow
 */
export function call<Request, Response>(
  client: object,
  method: UnaryMethod<Request, Response>,
  request: Request,
  options: { deadlineMs?: number; signal?: AbortSignal } = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const { signal, deadlineMs = DEFAULT_DEADLINE_MS } = options;
    if (signal?.aborted) return reject(fromServiceError({ code: 1 }));
    const started = performance.now();
    const cancel = (): void => running.cancel();
    const running = method.call(
      client,
      request,
      traceMetadata(),
      { deadline: Date.now() + deadlineMs },
      (error, response) => {
        signal?.removeEventListener('abort', cancel);
        measureCall(started, { method, status: error?.code });
        if (error) reject(fromServiceError(error));
        else resolve(response);
      },
    );
    signal?.addEventListener('abort', cancel, { once: true });
  });
}

/** Adds the trace where the instrumentation of gRPC is not loaded. */
function traceMetadata(): Metadata {
  const metadata = new Metadata();
  const traceparent = activeTraceparent();
  if (traceparent !== undefined) metadata.set('traceparent', traceparent);
  return metadata;
}
