import { ApiError } from '@kontoport/errors';
import { call, createClient, startGrpcServer, unary } from '@kontoport/grpc';
import { ApprovalsServiceClient, ApprovalsServiceService } from '@kontoport/proto/payments/v1';
import { activeTraceparent, continueTrace, createLogger } from '@kontoport/runtime';
import { recordSpans } from '@kontoport/testing/recorded-spans';
import { said } from '@kontoport/testing/said';

const logger = createLogger({ service: 'test', level: 'silent' });
const [TRACE, PARENT] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
const METHOD = 'kontoport.payments.v1.ApprovalsService/GetBasket';

let spans: ReturnType<typeof recordSpans>;
let server: Awaited<ReturnType<typeof startGrpcServer>>;
let client: ApprovalsServiceClient;
let seen: string | undefined;

beforeAll(async () => {
  spans = recordSpans();
  const getBasket = unary(logger, async ({ approvalId }: { approvalId: string }) => {
    seen = activeTraceparent();
    if (approvalId === 'refused') throw new ApiError('FUNDS_INSUFFICIENT', said('hidden'));
    if (approvalId === 'broken') throw new Error('hidden');
    return { requestId: 'r', status: 'APPROVED', redirectUrl: 'https://tpp.test/' };
  });
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    rpcs: [{ definition: ApprovalsServiceService, implementation: { getBasket } }],
  });
  client = createClient(ApprovalsServiceClient, `localhost:${server.port}`);
});
afterAll(async () => {
  client.close();
  await server.close();
  spans.close();
});

const ask = (approvalId: string, flags: string): Promise<unknown> =>
  continueTrace(`00-${TRACE}-${PARENT}-${flags}`, () =>
    call(client, client.getBasket, { approvalId }).catch(() => {}),
  );

describe('a call between the services', () => {
  const told = { 'rpc.system.name': 'grpc', 'rpc.method': METHOD };
  it.each([
    ['a', {}, 'OK', { server: false, client: false }],
    [
      'refused',
      { 'error.type': 'FUNDS_INSUFFICIENT' },
      'FAILED_PRECONDITION',
      { server: false, client: true },
    ],
    ['broken', { 'error.type': 'INTERNAL_ERROR' }, 'INTERNAL', { server: true, client: true }],
  ])('is a span on either side, one below the other: %s', async (approvalId, type, status, isError) => {
    await ask(approvalId, '01');
    const [answered, called, ...more] = spans.take();
    const span = { name: METHOD, traceId: TRACE, links: [] };
    const attributes = { ...told, 'rpc.response.status_code': status };
    expect(called).toEqual({
      ...span,
      kind: 'CLIENT',
      spanId: expect.any(String),
      parentSpanId: PARENT,
      attributes: { ...attributes, ...('error.type' in type ? { 'error.type': status } : {}) },
      isError: isError.client,
    });
    expect(answered).toEqual({
      ...span,
      kind: 'SERVER',
      spanId: expect.any(String),
      parentSpanId: called!.spanId,
      attributes: { ...attributes, ...type },
      isError: isError.server,
    });
    expect(seen).toBe(`00-${TRACE}-${answered!.spanId}-01`);
    expect(more).toEqual([]);
  });

  it('has no span in a trace that is not sampled, which goes on', async () => {
    await ask('a', '00');
    expect(spans.take()).toEqual([]);
    expect(seen).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });
});
