import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { useEdgeProcess } from './edge-process.ts';
import { Scene } from './scene.ts';

const scene = new Scene();
const startProcess = useEdgeProcess(scene);
const sockets: Socket[] = [];

beforeAll(() => scene.open());
beforeEach(() => {
  scene.answer = () => ({ status: 200, body: '{}' });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => scene.close());

function silent(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  return socket;
}

describe('the process of the edge', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s, whatever is open', async (signal) => {
    const { child, port, url } = await startProcess({ HANDSHAKE_LIMIT: '1h' });
    const open = [silent(port), silent(port)];
    await Promise.all(open.map((socket) => once(socket, 'connect')));
    open[1]!.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
    const idle = scene.connect(url);
    await once(idle, 'secureConnect');
    sockets.push(idle);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('survives callers who take all its file descriptors, and goes on when they have gone', async () => {
    const { child, port, url } = await startProcess({}, 100);
    const many = Array.from({ length: 150 }, () => silent(port));
    await Promise.all(many.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
    for (const socket of many) socket.destroy();
    expect(await scene.call(`${url}/accounts`)).toMatchObject({ status: 200 });
    expect(child.exitCode).toBeNull();
  });
});

describe('the addresses to listen at', () => {
  it('are left out one by one when the machine does not have them', async () => {
    const { url } = await startProcess({ HTTPS_HOST: '192.0.2.1,127.0.0.1' });
    expect(await scene.call(`${url}/accounts`)).toMatchObject({ status: 200 });
  });

  it('but not all of them', async () => {
    await expect(startProcess({ HTTPS_HOST: '192.0.2.1' })).rejects.toThrow(
      /edge: this machine has none of 192.0.2.1/,
    );
  });
});
