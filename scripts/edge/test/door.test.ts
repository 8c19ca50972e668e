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

  it.each<[string, Buffer | undefined]>([
    ['says nothing', undefined],
    ['stops within its ClientHello', HALF_A_HELLO],
  ])('does not keep the edge from ending when it %s', async (_what, bytes) => {
    const { edge, close } = await scene.edgeOfItsOwn({ handshakeMs: 60_000, drainLimitMs: 60_000 });
    const socket = plainly(edge);
    await once(socket, 'connect');
    if (bytes) socket.write(bytes);
    await close();
    await closeOf(socket);
    expect(socket.bytesRead).toBe(0);
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
  ])('%s: one too many is cut, and there is room again when one has gone', async (_what, limits) => {
    const cuts: object[] = [];
    const onCut = (cut: object): void => void cuts.push(cut);
    const { edge, close } = await scene.edgeOfItsOwn({ connections: { ...limits, onCut } });
    const kept = [plainly(edge), plainly(edge), plainly(edge)];
    await Promise.all(kept.map((socket) => once(socket, 'connect')));
    expect(await isCut(plainly(edge))).toBe(true);
    expect(cuts).toEqual([{ remoteAddress: '127.0.0.1', open: 3 }]);
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
    const { edge, close } = await scene.edgeOfItsOwn({ hosts, connections: { perAddress: 1, inAll: 10 } });
    const first = plainly(edge, '::1');
    await once(first, 'connect');
    expect(await isCut(plainly(edge, '::1'))).toBe(true);
    expect(await isCut(plainly(edge, '127.0.0.1'))).toBe(false);
    first.destroy();
    await close();
  });
});
