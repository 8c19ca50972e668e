import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveBroker } from '../src/broker/serve.ts';

let folder: string;
let broker: Awaited<ReturnType<typeof serveBroker>>;
const open: Socket[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-broker-'));
  broker = await serveBroker({ folder, port: 0, topics: [{ name: 't', partitions: 2 }] });
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await broker.close();
  rmSync(folder, { recursive: true, force: true });
});

async function dial(): Promise<Socket> {
  const socket = connect(broker.port, '127.0.0.1');
  open.push(socket);
  await once(socket, 'connect');
  return socket;
}

const request = (key: number, version: number, body = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(14);
  head.writeInt32BE(10 + body.length, 0);
  head.writeInt16BE(key, 4);
  head.writeInt16BE(version, 6);
  head.writeInt32BE(99, 8);
  head.writeInt16BE(-1, 12);
  return Buffer.concat([head, body]);
};

/** Asks for the versions, which everybody may. */
async function answers(socket: Socket): Promise<Buffer> {
  socket.write(request(18, 0));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer;
}

describe('a caller that does not speak the protocol', () => {
  const negative = Buffer.alloc(4);
  negative.writeInt32BE(-1);
  const huge = Buffer.alloc(4);
  huge.writeInt32BE(16 * 1024 * 1024 + 1);
  const manyTopics = Buffer.alloc(4);
  manyTopics.writeInt32BE(0x7fffffff);

  it.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a request of negative length', negative],
    ['a request of more than 16 MB', huge],
    ['a request that nobody announced', request(99, 0)],
    ['a version that nobody announced', request(3, 12)],
    ['an array of more elements than there are bytes', request(3, 5, manyTopics)],
  ])('is disconnected after %s; others are not', async (_what, bytes) => {
    const good = await dial();
    const bad = await dial();
    const hungUp = once(bad, 'close');
    bad.resume().write(bytes);
    await hungUp;
    expect((await answers(good)).readInt32BE(4)).toBe(99);
  });

  it('gets the oldest form of ApiVersions for a version that is too new', async () => {
    const socket = await dial();
    socket.write(request(18, 4));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.readInt16BE(8)).toBe(35);
    expect(answer.readInt32BE(10) * 6 + 14).toBe(answer.length);
  });
});
