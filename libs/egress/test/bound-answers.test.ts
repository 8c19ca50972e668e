import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { tlsFolder, type TlsFolder, trustBesides } from '@kontoport/testing/tls';
import { createGuardedAgent, type GuardedAgent, postForStatus, type StatusOrFault } from '../src/index.ts';

const BODY = '{}';
const MOST = 64 * 1024;
/** Nearly as much as one answer may have: two of them are more. */
const LONG = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${'x'.repeat(MOST / 2)}\r\nx\r\n0\r\n\r\n`;

let distrust: () => void;
let tls: TlsFolder;
let agent: GuardedAgent;
let servers: Server[] = [];
let connections: Socket[] = [];

beforeAll(async () => {
  tls = await tlsFolder();
  distrust = trustBesides(tls);
});

beforeEach(() => {
  agent = createGuardedAgent({ allowLoopback: true, answerBytes: MOST });
});

afterEach(async () => {
  await agent.destroy();
  for (const socket of connections) socket.destroy();
  for (const server of servers) server.close();
  [servers, connections] = [[], []];
});

afterAll(() => {
  distrust();
  tls.remove();
});

/** A server that answers what is posted; its origin. */
async function listen(scheme: string, answer: (socket: Socket) => void): Promise<string> {
  const { cert, key } = await tls.issue('receiver', { server: ['127.0.0.1'] });
  const isTls = scheme === 'https';
  const server = isTls
    ? createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) })
    : createServer();
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.push(socket.on('error', () => {}));
    socket.on('data', (chunk) => {
      if (chunk.includes(BODY)) answer(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const post = (origin: string): Promise<StatusOrFault> =>
  postForStatus(agent, {
    origin,
    path: '/',
    headers: ['content-type', 'application/json'],
    body: Buffer.from(BODY),
    maxBytes: 1_000,
    excerptBytes: 10,
    timeLimit: 60_000,
  });

describe.each(['http', 'https'])('what one answer may take of a connection, over %s (§6)', (scheme) => {
  it('is bounded in all of its bytes', async () => {
    const origin = await listen(scheme, (socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(10_000)));
      };
      socket.write('HTTP/1.1 200 ');
      socket.on('drain', more);
      more();
    });
    expect(await post(origin)).toEqual({ fault: 'answer-too-long' });
  });

  it('is counted per answer', async () => {
    const origin = await listen(scheme, (socket) => void socket.write(LONG));
    for (let i = 0; i < 5; i++) {
      expect(await post(origin)).toMatchObject({ status: 200 });
      // The connection is free once the answer has been dealt with.
      await turn();
    }
    expect(connections).toHaveLength(1);
  });
});
