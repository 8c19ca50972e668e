import { once } from 'node:events';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import { describeWith } from '@kontoport/testing/describe-with';
import { readRaw } from '@kontoport/testing/raw-http';
import { closeOf, plainly, Scene } from './scene.ts';

const scene = new Scene();
/** A record of the type handshake that announces more than ever comes. */
const HALF_A_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]);

beforeAll(() => scene.open());
afterAll(() => scene.close());

/** Whether a connection is ended without a word; one that is let in is told to speak TLS. */
const isCut = async (socket: Socket): Promise<boolean> => {
  socket.on('error', () => {}).write('x');
  let said = '';
  socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await closeOf(socket);
  return said === '';
};

describe('a connection that never becomes a request', () => {
  it.each<[string, Buffer | undefined]>([
    ['says nothing', undefined],
    ['stops within its ClientHello', HALF_A_HELLO],
  ])('is ended when it %s', async (_what, bytes) => {
    const { edge, close } = await scene.edgeOfItsOwn({ handshakeMs: 100 });
    const socket = plainly(edge);
    if (bytes) socket.write(bytes);
    await closeOf(socket);
    expect(socket.destroyed).toBe(true);
    await close();
  });
});

describe('a caller who hangs up before it has said who it is', () => {
  it.each<[string, Buffer]>([
    ['without a word', Buffer.alloc(0)],
    ['within its ClientHello', HALF_A_HELLO],
  ])('%s leaves nothing behind', async (_what, bytes) => {
    const { edge, close } = await scene.edgeOfItsOwn({
      handshakeMs: 60_000,
      connections: { perAddress: 1, inAll: 1 },
    });
    plainly(edge).end(bytes);
    const hasRoom = async (): Promise<boolean> => !(await isCut(plainly(edge)));
    expect(await until(hasRoom, { what: 'room for the next one' })).toBe(true);
    await close();
  });
});

describe('connections are bounded', () => {
  it.each([
    ['from one address', { perAddress: 3, inAll: 100 }],
    ['in all', { perAddress: 100, inAll: 3 }],
  ])('%s: the oldest unfinished handshake gives way, and the newcomer is served', async (_what, limits) => {
    const { edge, close } = await scene.edgeOfItsOwn({ connections: limits });
    const silent = [plainly(edge), plainly(edge), plainly(edge)];
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    expect(await scene.call(`${edge.urls.base}/accounts`)).toMatchObject({ status: 200 });
    await closeOf(silent[0]!);
    expect(silent.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
    for (const socket of silent) socket.destroy();
    await close();
  });

  it('one too many is cut when all have finished their handshake, and there is room again when one has gone', async () => {
    const { edge, close } = await scene.edgeOfItsOwn({ connections: { perAddress: 2, inAll: 100 } });
    const kept = [scene.connect(edge.urls.base), scene.connect(edge.urls.base)];
    await Promise.all(kept.map((socket) => once(socket, 'session')));
    expect(await isCut(plainly(edge))).toBe(true);
    expect(kept.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    kept[0]!.destroy();
    await until(async () => !(await isCut(plainly(edge))), { what: 'room for another' });
    for (const socket of kept) socket.destroy();
    await close();
  });
});

const missing = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)
  ? undefined
  : 'this machine has no IPv6';

describeWith('both loopback addresses', { missing }, () => {
  const hosts = ['127.0.0.1', '::1'];

  it('answer at the same port', async () => {
    const { edge, close } = await scene.edgeOfItsOwn({ hosts });
    for (const host of hosts) {
      const socket = plainly(edge, host);
      socket.write('GET / HTTP/1.1\r\n\r\n');
      expect(readRaw(await text(socket)).status).toBe(400);
    }
    await close();
  });

  it('are two callers: one of them with all its connections leaves the other its own', async () => {
    const { edge, close } = await scene.edgeOfItsOwn({ hosts, connections: { perAddress: 1, inAll: 2 } });
    const [first, other] = [plainly(edge, '::1'), plainly(edge, '127.0.0.1')];
    await Promise.all([once(first, 'connect'), once(other, 'connect')]);
    const second = plainly(edge, '::1');
    await closeOf(first);
    expect([second.destroyed, other.destroyed]).toEqual([false, false]);
    for (const socket of [second, other]) socket.destroy();
    await close();
  });
});
