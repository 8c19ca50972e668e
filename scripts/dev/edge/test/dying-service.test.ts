import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { freePorts } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { type FakePeers, startFakePeers } from '@kontoport/testing/fake-peers';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { useEdgeProcess } from './edge-process.ts';
import { Scene } from './scene.ts';

const scene = new Scene();
const startProcess = useEdgeProcess(scene);
let peers: FakePeers;

beforeAll(async () => {
  await scene.open();
  peers = await startFakePeers();
});
afterAll(async () => {
  await peers.close();
  await scene.close();
});

describe('a service that is killed under load', () => {
  it('is 503 with Retry-After to whoever reads, every time, and answers again when it is back', async () => {
    const [HTTP_PORT, OPS_PORT, GRPC_PORT] = (await freePorts(3)).map(String) as [string, string, string];
    const env = {
      ...peers.env,
      HTTP_PORT,
      OPS_PORT,
      GRPC_PORT,
      ACCOUNTS_GRPC: '127.0.0.1:1',
      KAFKA_BROKERS: '127.0.0.1:1',
      USER_URL: 'https://user.bank.test',
    };
    const service = startServiceProcess({ service: 'payments', env });
    await service.ready();
    const { url } = await startProcess({
      PAYMENTS_UPSTREAM: `127.0.0.1:${HTTP_PORT}`,
      EDGE_SECRET: peers.env.EDGE_SECRET!,
    });
    const tpp = await peers.addTpp();
    const { authorization } = await tpp.headers();
    const { chainPem: cert, keyPem: key } = tpp.qwac;
    const agent = new Agent({ ca: scene.rootPem, cert, key, keepAlive: true, maxSockets: 16 });

    const ask = async (): Promise<number> => {
      const path = `/payments/drafts/approve/${randomUUID()}/status`;
      const outgoing = request(`${url}${path}`, { agent, headers: { authorization: authorization! } }).end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      await text(response);
      const { statusCode, headers } = response;
      return statusCode === 503 && headers['retry-after'] !== '1' ? NaN : statusCode!;
    };
    const statuses: number[] = [];
    const askOn = async (): Promise<void> => {
      while (!statuses.slice(-200).every((status) => status === 503) || statuses.length < 400)
        statuses.push(await ask());
    };
    const asking = Array.from({ length: 16 }, askOn);
    await until(() => statuses.length > 100, { what: 'some answers' });
    await service.kill('SIGKILL');
    await Promise.all(asking);
    expect(statuses[0]).toBe(404);
    expect(new Set(statuses)).toEqual(new Set([404, 503]));

    const again = startServiceProcess({ service: 'payments', env });
    await again.ready();
    expect(await ask()).toBe(404);
    agent.destroy();
    await again.kill();
  });
});
