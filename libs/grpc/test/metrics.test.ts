import { ApiError } from '@kontoport/errors';
import { call, createClient, startGrpcServer, unary } from '@kontoport/grpc';
import { createLogger, startOpsServer } from '@kontoport/lifecycle';
import { ApprovalsServiceClient, ApprovalsServiceService } from '@kontoport/proto/payments/v1';
import { readMetrics } from '@kontoport/testing/metrics';
import { said } from '@kontoport/testing/said';

const logger = createLogger({ service: 'test', level: 'silent' });
const opened: { close(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).toReversed()) await resource.close();
});

/** A server whose answers depend on the requested id, and a client of it. */
async function start() {
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    rpcs: [
      {
        definition: ApprovalsServiceService,
        implementation: {
          getBasket: unary(logger, async ({ approvalId }: { approvalId: string }) => {
            if (approvalId === 'poor') throw new ApiError('FUNDS_INSUFFICIENT', said('x'));
            if (approvalId === 'silent') await new Promise(() => {});
            return { requestId: approvalId, status: 'APPROVED', redirectUrl: '' };
          }),
        },
      },
    ],
  });
  opened.push(server);
  const client = createClient(ApprovalsServiceClient, `localhost:${server.port}`);
  opened.push(client);
  const ops = await startOpsServer({ service: 'test', host: '127.0.0.1', port: 0, readiness: {} });
  opened.push(ops);
  const ask = (approvalId: string, deadlineMs = 10_000): Promise<unknown> =>
    call(client, client.getBasket, { approvalId }, { deadlineMs });
  return { ask, ops };
}

describe('metrics of rpcs', () => {
  it('have method, status and refusal as labels, at both ends', async () => {
    const { ask, ops } = await start();
    await ask('secret-1');
    await ask('secret-2');
    await expect(ask('poor')).rejects.toMatchObject({ code: 'FUNDS_INSUFFICIENT' });
    await expect(ask('silent', 100)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const { families } = await readMetrics(ops.port);
    const counted = (name: string): [Record<string, string>, number][] =>
      families
        .get(name)!
        .series.filter((one) => one.name === `${name}_count`)
        .map(({ labels, value }) => [labels, value]);
    const rpc = { rpc_system_name: 'grpc', rpc_method: 'kontoport.payments.v1.ApprovalsService/GetBasket' };
    expect(counted('rpc_server_call_duration_seconds')).toEqual([
      [{ ...rpc, rpc_response_status_code: 'OK' }, 2],
      [{ ...rpc, rpc_response_status_code: 'FAILED_PRECONDITION', error_type: 'FUNDS_INSUFFICIENT' }, 1],
    ]);
    expect(counted('rpc_client_call_duration_seconds')).toEqual([
      [{ ...rpc, rpc_response_status_code: 'OK' }, 2],
      [{ ...rpc, rpc_response_status_code: 'FAILED_PRECONDITION' }, 1],
      [{ ...rpc, rpc_response_status_code: 'DEADLINE_EXCEEDED' }, 1],
    ]);
  });
});
