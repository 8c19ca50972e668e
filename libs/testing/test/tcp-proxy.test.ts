import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { until } from '@kontoport/embedded/wait';
import { openTcpProxy, type TcpProxy } from '../src/tcp-proxy.ts';

let echo: Server;
let proxy: TcpProxy;
const open: Socket[] = [];

beforeEach(async () => {
  echo = createServer((socket) => void socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await openTcpProxy({ port: (echo.address() as AddressInfo).port });
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await proxy.close();
  echo.close();
});

/** A client of the proxy, and what came back to it. */
function dial(): { socket: Socket; heard: () => string; ended: Promise<void> } {
  const socket = connect(proxy.port, '127.0.0.1');
  open.push(socket);
  let heard = '';
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text));
  const ended = new Promise<void>(
    (resolve) => void socket.on('error', () => {}).on('close', () => resolve()),
  );
  return { socket, heard: () => heard, ended };
}

describe('a wire that a test can disturb', () => {
  it('passes both ways; stalled, it holds back what comes, and passes it on later', async () => {
    const { socket, heard } = dial();
    socket.write('one ');
    await until(() => heard() === 'one ', { what: 'the first' });
    proxy.stall();
    socket.write('two ');
    const other = dial();
    other.socket.write('new ');
    expect([heard(), other.heard()]).toEqual(['one ', '']);
    proxy.resume();
    await until(() => heard() === 'one two ' && other.heard() === 'new ', { what: 'the rest' });
  });

  it('cut, it breaks all connections and each new one, until it is mended', async () => {
    const { socket, heard, ended } = dial();
    socket.write('one');
    await until(() => heard() === 'one', { what: 'the first' });
    proxy.cut();
    await ended;
    const refused = dial();
    refused.socket.write('lost');
    await refused.ended;
    expect(refused.heard()).toBe('');
    proxy.mend();
    const next = dial();
    next.socket.write('two');
    await until(() => next.heard() === 'two', { what: 'the mended wire' });
  });
});
