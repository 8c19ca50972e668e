import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createGuardedAgent } from '../src/index.ts';
import { exchange } from './exchange.ts';

const FORBIDDEN = { reason: 'address' };

describe('the egress guard (§6: the literal and the connected address must be public unicast)', () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let port: number;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterAll(async () => {
    server.close();
    await once(server, 'close');
  });

  const post = async (origin: string, allowLoopback: boolean): Promise<unknown> => {
    const agent = createGuardedAgent({ allowLoopback });
    const { fault } = await exchange(agent, origin);
    await agent.destroy();
    return fault;
  };

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0.0.0.0', 'localhost'])(
    'opens no connection to %s',
    async (host) => {
      const before = connections;
      expect(await post(`http://${host}:${port}`, false)).toMatchObject(FORBIDDEN);
      expect(await post(`https://${host}:${port}`, false)).toMatchObject(FORBIDDEN);
      expect(connections).toBe(before);
    },
  );

  it.each(['10.255.255.1', '169.254.169.254', '[fd00::1]', '[::ffff:10.0.0.1]'])(
    'opens no connection to %s in a local sandbox either',
    async (host) => {
      expect(await post(`http://${host}:${port}`, true)).toMatchObject(FORBIDDEN);
    },
  );

  it('reports a reset before the address check as a reset', async () => {
    // So early a reset is a matter of chance: it also removes the address of the peer.
    const lose = (message: unknown): void =>
      void Object.defineProperty((message as { socket: object }).socket, 'remoteAddress', {
        value: undefined,
      });
    subscribe('net.client.socket', lose);
    const fault = await post(`http://127.0.0.1:${port}`, true);
    unsubscribe('net.client.socket', lose);
    expect(fault).toMatchObject({ code: 'ECONNRESET' });
  });

  it('connects to loopback, by address and by name, in a local sandbox', async () => {
    const before = connections;
    expect(await post(`http://127.0.0.1:${port}`, true)).not.toMatchObject(FORBIDDEN);
    expect(await post(`http://localhost:${port}`, true)).not.toMatchObject(FORBIDDEN);
    expect(connections).toBeGreaterThanOrEqual(before + 2);
  });
});
