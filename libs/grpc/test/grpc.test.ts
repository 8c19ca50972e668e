import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { until } from '@kontoport/embedded/wait';
import { ApiError } from '@kontoport/errors';
import { call, type CallContext, createClient, startGrpcServer, unary } from '@kontoport/grpc';
import { createLogger } from '@kontoport/lifecycle';
import {
  ApprovalsServiceClient,
  ApprovalsServiceService,
  type GetBasketRequest,
  type GetBasketResponse,
} from '@kontoport/proto/payments/v1';
import { activeTraceparent, continueTrace } from '@kontoport/telemetry';
import { said } from '@kontoport/testing/said';

const logger = createLogger({ service: 'test', level: 'silent' });
const opened: { close(): Promise<void> | void }[] = [];

type Handler = (request: GetBasketRequest, context: CallContext) => Promise<GetBasketResponse>;

async function serve(handle: Handler, port = 0) {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port,
    rpcs: [{ definition: ApprovalsServiceService, implementation: { getBasket: unary(logger, handle) } }],
  });
  opened.push(server);
  return server;
}

function clientOf(port: number) {
  const client = createClient(ApprovalsServiceClient, `localhost:${port}`);
  opened.push(client);
  return client;
}

const basket: GetBasketResponse = { requestId: 'r', status: 'APPROVED', redirectUrl: 'https://tpp.test/' };

/** A handler that answers only after the caller's cancellation. */
async function serveHanging() {
  let signal: AbortSignal | undefined;
  const { port } = await serve(
    (_request, context) =>
      new Promise((resolve) => {
        signal = context.signal;
        context.signal.addEventListener('abort', () => resolve(basket));
      }),
  );
  return { port, signal: () => signal };
}

async function refusalOf(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

afterEach(async () => {
  for (const resource of opened.splice(0).toReversed()) await resource.close();
});

describe('calls between the services', () => {
  it('carries an answer', async () => {
    const { port } = await serve(async ({ approvalId }) => ({ ...basket, requestId: approvalId }));
    const client = clientOf(port);
    expect(await call(client, client.getBasket, { approvalId: 'a' })).toEqual({ ...basket, requestId: 'a' });
  });

  it("carries the caller's trace, with and without tracing", async () => {
    const { port } = await serve(async () => ({ ...basket, requestId: activeTraceparent()! }));
    const client = clientOf(port);
    const ask = (): Promise<GetBasketResponse> => call(client, client.getBasket, { approvalId: 'a' });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect((await continueTrace(traceparent, ask)).requestId).toBe(traceparent);
    expect((await ask()).requestId).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  it('carries an error of the table with its code and message', async () => {
    const { port } = await serve(async () => {
      throw new ApiError('FUNDS_INSUFFICIENT', said('The available amount does not cover 10.00 DKK.'));
    });
    const client = clientOf(port);
    const refusal = await refusalOf(call(client, client.getBasket, { approvalId: 'a' }));
    expect([refusal.code, refusal.message]).toEqual([
      'FUNDS_INSUFFICIENT',
      'The available amount does not cover 10.00 DKK.',
    ]);
  });

  it('reports an unknown failure of a peer as UNAVAILABLE', async () => {
    const { port } = await serve(async () => {
      throw new Error('password authentication failed for user "ledger"');
    });
    const client = clientOf(port);
    const refusal = await refusalOf(call(client, client.getBasket, { approvalId: 'a' }));
    expect(refusal.code).toBe('UNAVAILABLE');
    expect(JSON.stringify(refusal) + refusal.message).not.toContain('password');
    expect(String((refusal.cause as Error).message)).not.toContain('password');
  });

  it.each([
    ['the system', Object.assign(new Error('connect ECONNREFUSED 10.0.0.1'), { code: 'ECONNREFUSED' })],
    ['Prisma', Object.assign(new Error("Can't reach database server"), { code: 'P1001' })],
    ['the pool', new Error('timeout exceeded when trying to connect')],
  ])('reports an unreachable dependency, by %s, as UNAVAILABLE', async (_by, thrown) => {
    const { port } = await serve(async () => {
      throw thrown;
    });
    const client = clientOf(port);
    const status = await new Promise<ServiceError | null>((resolve) =>
      client.getBasket({ approvalId: 'a' }, (error) => resolve(error)),
    );
    expect(status?.code).toBe(14);
    const refusal = await refusalOf(call(client, client.getBasket, { approvalId: 'a' }));
    expect([refusal.code, refusal.message]).toEqual([
      'UNAVAILABLE',
      'Something that the answer depends on does not respond at the moment; repeat the request later.',
    ]);
  });

  it('ends at the deadline and aborts the handler', async () => {
    const { port, signal } = await serveHanging();
    const client = clientOf(port);
    const giveUp = () => call(client, client.getBasket, { approvalId: 'a' }, { deadlineMs: 100 });
    // A deadline may pass before the connection is established.
    await until(
      async () => {
        expect((await refusalOf(giveUp())).code).toBe('UNAVAILABLE');
        return signal();
      },
      { what: 'the handler to be reached' },
    );
    await until(() => signal()!.aborted, { what: 'the handler to be told' });
  });

  it('is cancelled with the request that caused it', async () => {
    const { port, signal } = await serveHanging();
    const client = clientOf(port);
    const away = new AbortController();
    const pending = refusalOf(call(client, client.getBasket, { approvalId: 'a' }, { signal: away.signal }));
    await until(() => signal(), { what: 'the call has arrived' });
    away.abort();
    expect((await pending).code).toBe('UNAVAILABLE');
    await until(() => signal()?.aborted === true, { what: 'the handler is told' });
  });

  it('reconnects after a restart of the peer', async () => {
    const first = await serve(async () => basket);
    const client = clientOf(first.port);
    await call(client, client.getBasket, { approvalId: 'a' });
    await opened.splice(opened.indexOf(first), 1)[0]!.close();
    expect((await refusalOf(call(client, client.getBasket, { approvalId: 'a' }))).code).toBe('UNAVAILABLE');
    await serve(async () => basket, first.port);
    await until(
      () =>
        call(client, client.getBasket, { approvalId: 'a' }).then(
          () => true,
          () => false,
        ),
      { what: 'the client has reconnected' },
    );
  });

  it('answers the gRPC health check', async () => {
    const { port } = await serve(async () => basket);
    const client = new Client(`localhost:${port}`, credentials.createInsecure());
    opened.push(client);
    const answer = await new Promise<Buffer>((resolve, reject) => {
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        (request: Buffer) => request,
        (response: Buffer) => response,
        Buffer.alloc(0),
        (error, response) => (error ? reject(error) : resolve(response!)),
      );
    });
    expect([...answer]).toEqual([0x08, 0x01]);
  });

  it('finishes a call in flight before it closes', async () => {
    let finish: (() => void) | undefined;
    const server = await serve(() => new Promise((resolve) => (finish = () => resolve(basket))));
    const client = clientOf(server.port);
    const pending = call(client, client.getBasket, { approvalId: 'a' });
    await until(() => finish !== undefined, { what: 'the call has arrived' });
    const closing = opened.splice(opened.indexOf(server), 1)[0]!.close();
    finish!();
    expect(await pending).toEqual(basket);
    await closing;
  });
});
