import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import { until } from '@kontoport/embedded/wait';
import { tlsFolder, type TlsFolder, trustBesides } from '@kontoport/testing/tls';
import type { Outcome } from '../src/exchange.ts';
import { createGuardedAgent, type GuardedAgent } from '../src/index.ts';
import { exchange } from './exchange.ts';

const ANSWER = 'HTTP/1.1 204 X\r\n\r\n';
/** After which a connection is kept for longer than any test waits. */
const LONG = 'HTTP/1.1 204 X\r\nkeep-alive: timeout=600\r\n\r\n';

let agent: GuardedAgent;
let servers: Server[] = [];
let sockets: Socket[] = [];

/** Milliseconds that the clocks are ahead. */
let passed: number;

beforeEach(() => {
  const monotonic = performance.now.bind(performance);
  const wall = Date.now.bind(Date);
  passed = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => monotonic() + passed);
  jest.spyOn(Date, 'now').mockImplementation(() => wall() + passed);
  agent = createGuardedAgent({ allowLoopback: true });
});

afterEach(async () => {
  jest.restoreAllMocks();
  await agent.destroy();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  [servers, sockets] = [[], []];
});

interface Receiver {
  origin: string;
  /** Its connections in the order in which they were made. */
  connections: Socket[];
  /** The connection of each request. */
  over: number[];
}

/** @param answer is called for each request, with its number */
async function listen(
  answer: (socket: Socket, number: number) => unknown,
  { server = createServer(), isTls = false, greet = (_socket: Socket): void => {} } = {},
): Promise<Receiver> {
  const receiver: Receiver = { origin: '', connections: [], over: [] };
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    const at = receiver.connections.push(socket) - 1;
    sockets.push(socket.on('error', () => {}));
    greet(socket);
    socket.on('data', (chunk) => {
      if (chunk.includes('{}')) answer(socket, receiver.over.push(at) - 1);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  receiver.origin = isTls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  return receiver;
}

const post = ({ origin }: Receiver): Promise<Outcome> => exchange(agent, origin);
/** Waits until the event loop has processed the end of an answer: then its connection is free. */
const isFree = async (): Promise<void> => {
  for (let turns = 0; turns < 3; turns += 1) await turn();
};
const statusOf = ({ answer }: Outcome): number | undefined => answer?.status;

describe('a connection (§6)', () => {
  it('is one of a bounded number', async () => {
    await agent.destroy();
    agent = createGuardedAgent({ allowLoopback: true, connections: 2 });
    const receiver = await listen((socket, number) => {
      if (number % 3 === 0) socket.end(`HTTP/1.1 204 X\r\nconnection: close\r\n\r\n`);
      else socket.write(ANSWER);
    });
    let most = 0;
    servers[0]!.on('connection', () => {
      most = Math.max(most, receiver.connections.filter(({ destroyed }) => !destroyed).length);
    });
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => post(receiver)));
    expect(outcomes.map(statusOf)).toEqual(Array.from({ length: 12 }, () => 204));
    expect(receiver.connections.length).toBeGreaterThanOrEqual(4);
    expect(most).toBeLessThanOrEqual(3);
  });

  it.each([
    ['http', 'with a greeting', (socket: Socket) => void socket.write('220 mail.example ESMTP\r\n')],
    ['https', 'with a greeting', (socket: Socket) => void socket.write('220 mail.example ESMTP\r\n')],
    ['http', 'with an end', (socket: Socket) => void socket.end()],
    ['https', 'with an end', (socket: Socket) => void socket.end()],
    ['http', 'with a reset', (socket: Socket) => void socket.resetAndDestroy()],
  ])(
    'over %s that begins %s is no connection, and is not made again and again',
    async (scheme, _how, greet) => {
      const isTls = scheme === 'https';
      const { cert, key } = await tls.issue('greeting', { server: ['localhost'] });
      const server = isTls
        ? createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) })
        : createServer();
      const receiver = await listen((socket) => socket.destroy(), { server, isTls, greet });
      const outcomes = await Promise.all([post(receiver), post(receiver)]);
      expect(outcomes.map(({ answer, fault }) => answer ?? typeof fault)).toEqual(['object', 'object']);
      expect(receiver.connections.length).toBeLessThanOrEqual(2);
      await until(() => receiver.connections.every(({ destroyed }) => destroyed), { what: 'their end' });
    },
  );

  it('is kept for a minute at most, despite Keep-Alive', async () => {
    const receiver = await listen((socket) => socket.write(LONG));
    for (const seconds of [0, 58, 119]) {
      passed = seconds * 1_000;
      expect(statusOf(await post(receiver))).toBe(204);
      await isFree();
    }
    expect(receiver.over).toEqual([0, 0, 1]);
  });

  it('is used for a quarter of an hour at most', async () => {
    const receiver = await listen((socket) => socket.write(LONG));
    for (; passed < 17 * 60_000; passed += 50_000) {
      expect(statusOf(await post(receiver))).toBe(204);
      await isFree();
    }
    expect(receiver.over).toEqual(Array.from({ length: 21 }, (_, at) => (at < 18 ? 0 : 1)));
  });

  it('does not keep a process alive when it is idle', async () => {
    const receiver = await listen((socket) => socket.write(LONG));
    const program = `import { createGuardedAgent, postForStatus } from '../src/index.ts';
      const { status } = await postForStatus(createGuardedAgent({ allowLoopback: true }), {
        origin: '${receiver.origin}', path: '/', headers: [], body: Buffer.from('{}'),
        maxBytes: 1, excerptBytes: 0, timeLimit: 60_000,
      });
      console.log(status);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
      // The limit is the time for which it may keep the connection.
      timeout: 55_000,
    });
    expect(stdout).toBe('204\n');
  });

  it('ends with the agent, as do its requests', async () => {
    const receiver = await listen(() => {});
    const under = post(receiver);
    await until(() => receiver.over.length === 1, { what: 'the request' });
    const waiting = post(receiver);
    await agent.destroy();
    for (const outcome of [await under, await waiting, await post(receiver)])
      expect(outcome).toEqual({ answer: undefined, fault: expect.anything() });
    await until(() => receiver.connections.every(({ destroyed }) => destroyed), { what: 'their end' });
    expect(receiver.connections.length).toBeLessThanOrEqual(2);
  });
});

let distrust: () => void;
let tls: TlsFolder;

beforeAll(async () => {
  tls = await tlsFolder();
  distrust = trustBesides(tls);
});

afterAll(() => {
  distrust();
  tls.remove();
});

describe('a connection over TLS (§6)', () => {
  it('is reused, and a new one verifies the certificate again', async () => {
    const { cert, key } = await tls.issue('receiver', { server: ['localhost'] });
    const server = createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) });
    const resumed: boolean[] = [];
    server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()));
    const receiver = await listen(
      (socket, number) => {
        if (number === 1) socket.end('HTTP/1.1 200 X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
        else socket.write(ANSWER);
      },
      { server, isTls: true },
    );
    for (let i = 0; i < 3; i += 1) {
      await post(receiver);
      await isFree();
    }
    expect(receiver.over).toEqual([0, 0, 1]);
    expect(resumed).toEqual([false, false]);
  });

  it('names the host, and offers HTTP/1.1 alone', async () => {
    const { cert, key } = await tls.issue('receiver', { server: ['localhost'] });
    const server = createTlsServer({
      cert: readFileSync(cert),
      key: readFileSync(key),
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    const seen: unknown[] = [];
    server.on('secureConnection', ({ servername, alpnProtocol }) => seen.push([servername, alpnProtocol]));
    await post(await listen((socket) => socket.write(ANSWER), { server, isTls: true }));
    expect(seen).toEqual([['localhost', 'http/1.1']]);
  });
});
