import { type ServiceError, status } from '@grpc/grpc-js';
import { startGrpcServer } from '@kontoport/grpc';
import { HealthClient, HealthCheckResponse_ServingStatus as ServingStatus } from '@kontoport/proto/health/v1';
import { createClient } from '../src/client.ts';

const opened: { close(): Promise<void> | void }[] = [];

async function serve({ host = '127.0.0.1', called = 'localhost' } = {}) {
  const server = await startGrpcServer({ host, port: 0, rpcs: [] });
  opened.push(server);
  const client = createClient(HealthClient, `${called}:${server.port}`);
  opened.push(client);
  return { server, client };
}

const check = (client: HealthClient, service: string): Promise<string> =>
  new Promise((resolve, reject) => {
    client.check({ service }, (error, answer) => (error ? reject(error) : resolve(answer.status)));
  });

async function watched(client: HealthClient, service: string, drain?: () => void): Promise<string[]> {
  const seen: string[] = [];
  const stream = client.watch({ service });
  for await (const answer of stream as AsyncIterable<{ status: string }>) {
    seen.push(answer.status);
    drain?.();
    if (drain === undefined) break;
  }
  return seen;
}

afterEach(async () => {
  for (const resource of opened.splice(0).toReversed()) await resource.close();
});

describe('grpc.health.v1', () => {
  it('reports SERVING', async () => {
    const { client } = await serve();
    expect(await check(client, '')).toBe(ServingStatus.SERVING);
    expect(await watched(client, '')).toEqual([ServingStatus.SERVING]);
  });

  it.each(['[::1]', '127.0.0.1'])(
    'answers on a host of both IP families, to callers of %s',
    async (called) => {
      const { client } = await serve({ host: '::', called });
      expect(await check(client, '')).toBe(ServingStatus.SERVING);
    },
  );

  it('answers NOT_FOUND for a named service', async () => {
    const { client } = await serve();
    const refusal = await check(client, 'kontoport.payments.v1.ApprovalsService').catch(
      (error: unknown) => error,
    );
    expect((refusal as ServiceError).code).toBe(status.NOT_FOUND);
    expect(await watched(client, 'unknown')).toEqual([ServingStatus.SERVICE_UNKNOWN]);
  });

  it('reports NOT_SERVING to watchers of a draining server, and ends their streams', async () => {
    const { server, client } = await serve();
    const started = performance.now();
    let closed: Promise<void> | undefined;
    const seen = await watched(client, '', () => {
      closed ??= server.close();
    });
    await closed;
    expect(seen).toEqual([ServingStatus.SERVING, ServingStatus.NOT_SERVING]);
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
