import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { EgressForbidden, openEgressAgent } from '../src/egress/egress-agent.ts';
import { postingFor, publish } from './parts.ts';
import { openScene, type Scene } from './scene.ts';

describe('the egress guard (DESIGN §5: the literal and the connected address must be public unicast)', () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let port: number;

  beforeAll(async () => {
    server.listen(0);
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterAll(async () => {
    server.close();
    await once(server, 'close');
  });

  const post = async (origin: string, allowLoopback: boolean): Promise<unknown> => {
    const agent = openEgressAgent({ allowLoopback });
    try {
      return await agent.request({ origin, path: '/', method: 'POST', body: '{}' });
    } catch (error) {
      return error;
    } finally {
      await agent.destroy();
    }
  };

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0.0.0.0', 'localhost'])(
    'opens no connection to %s',
    async (host) => {
      const before = connections;
      expect(await post(`http://${host}:${port}`, false)).toBeInstanceOf(EgressForbidden);
      expect(await post(`https://${host}:${port}`, false)).toBeInstanceOf(EgressForbidden);
      expect(connections).toBe(before);
    },
  );

  it.each(['10.255.255.1', '169.254.169.254', '[fd00::1]', '[::ffff:10.0.0.1]'])(
    'opens no connection to %s in a local sandbox either',
    async (host) => {
      expect(await post(`http://${host}:${port}`, true)).toBeInstanceOf(EgressForbidden);
    },
  );

  it('connects to loopback, by address and by name, in a local sandbox', async () => {
    const before = connections;
    expect(await post(`http://127.0.0.1:${port}`, true)).not.toBeInstanceOf(EgressForbidden);
    expect(await post(`http://localhost:${port}`, true)).not.toBeInstanceOf(EgressForbidden);
    expect(connections).toBeGreaterThanOrEqual(before + 2);
  });
});

describe('a callback that leads to a forbidden address when it is used', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await openScene();
  });

  afterAll(() => scene.close());

  it('gets nothing, whatever was accepted when it was created; the attempts say why', async () => {
    const { tpp, client, receiver, subscription } = await scene.subscriber();
    const { port } = new URL(receiver.url);
    const byName = await client.subscribe(`http://localhost:${port}/hook`);
    await scene.restart({ CALLBACK_LOOPBACK: 'false' });
    await publish(scene.parts.producer, [postingFor([tpp])]);
    for (const one of [subscription, byName]) {
      const { attempts } = await scene.settled(one, 'exhausted');
      expect(attempts).toHaveLength(4);
      for (const attempt of attempts)
        expect(attempt).toMatchObject({ outcome: 'forbidden', http_status: null });
    }
    expect(receiver.connections()).toBe(0);
  });
});
