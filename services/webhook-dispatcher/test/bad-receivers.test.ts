import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { createGuardedAgent, type GuardedAgent } from '@kontoport/egress';
import { tlsFolder, type TlsFolder, trustBesides } from '@kontoport/testing/tls';
import { MAX_ANSWER_BYTES } from '../src/deliveries/attempt-delivery.ts';
import type { AttemptReason, AttemptResult } from '../src/deliveries/delivery.model.ts';
import { attemptAt } from './attempt-at.ts';

/** Long enough for everything that ends by itself, even on a busy machine. */
const PATIENCE_MS = 60_000;
const SHORT_MS = 300;

let agent: GuardedAgent;
let servers: Server[] = [];
let sockets: Socket[] = [];

beforeEach(() => {
  agent = createGuardedAgent({ allowLoopback: true, answerBytes: MAX_ANSWER_BYTES });
});

afterEach(async () => {
  await agent.destroy();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  [servers, sockets] = [[], []];
});

/** The behaviour of a receiver on a whole request: its number in all, and on its connection. */
type Behaviour = (socket: Socket, request: { text: string; number: number; ofConnection: number }) => void;

/** Starts a receiver with this behaviour. */
async function listen(
  behave: Behaviour,
  server: Server = createServer(),
  event = 'connection',
): Promise<{ url: string; connections: () => number; closed: () => Promise<unknown> }> {
  let [number, connections] = [0, 0];
  const closings: Promise<unknown>[] = [];
  server.on(event, (socket: Socket) => {
    connections += 1;
    let [text, ofConnection] = ['', 0];
    sockets.push(socket.on('error', () => {}));
    closings.push(closing(socket));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [, length] = /content-length: (\d+)\r\n/i.exec(text) ?? [];
      const end = text.indexOf('\r\n\r\n');
      if (length === undefined || end < 0 || text.length < end + 4 + Number(length)) return;
      const request = { text, number: (number += 1), ofConnection: (ofConnection += 1) };
      text = '';
      behave(socket, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    connections: () => connections,
    closed: () => Promise.all(closings),
  };
}

async function attempt(behave: Behaviour, timeLimit = PATIENCE_MS): Promise<AttemptResult> {
  const { url, closed } = await listen(behave);
  const result = await attemptAt(agent, url, timeLimit);
  // A connection without a valid answer is closed.
  if (!('httpStatus' in result)) await closed();
  return result;
}

/** Resolves when the connection closes, for any reason. */
const closing = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.on('close', resolve));

/** Writes parts for as long as anybody reads them. */
function writeEndlessly(socket: Socket, part: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on('drain', more);
  more();
}

/** Writes the text byte by byte, for ever. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length]!), 10);
  socket.on('close', () => clearInterval(timer));
}

describe('a receiver without an answer ends the attempt in time (§6)', () => {
  it.each<[string, Behaviour]>([
    ['hangs', () => {}],
    ['sends its answer byte by byte', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: ')],
    [
      'sends headers byte by byte',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        drip(socket, 'x: 1\r\n');
      },
    ],
    ['sends only an interim answer', (socket) => void socket.write('HTTP/1.1 102 Processing\r\n\r\n')],
  ])('when it %s', async (_what, behave) => {
    expect(await attempt(behave, SHORT_MS)).toMatchObject({ outcome: 'timeout', reason: 'timeout' });
  });
});

describe('an invalid answer is given up at once (§6)', () => {
  it.each<[string, AttemptReason, Behaviour]>([
    [
      'a header without end',
      'answer-too-long',
      (socket) => writeEndlessly(socket, 'HTTP/1.1 200 OK\r\nx: '.padEnd(1_000, 'x')),
    ],
    [
      'interim answers without end',
      'answer-too-long',
      (socket) => writeEndlessly(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    ],
    [
      'switching protocols',
      'protocol',
      (socket) =>
        void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
    [
      'a folded header, which undici refuses (RFC 9112 §5.2 would replace the fold by a blank)',
      'protocol',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: 0\r\n\r\n'),
    ],
    [
      '100 Continue, which nobody requested',
      'protocol',
      (socket) =>
        void socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    ],
    ['no HTTP', 'protocol', (socket) => void socket.write('SSH-2.0-none\r\n\r\n')],
    [
      'two different lengths',
      'protocol',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
    ],
    [
      'a length and chunks',
      'protocol',
      (socket) =>
        void socket.write(
          'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
        ),
    ],
    ['a reset', 'reset', (socket) => void socket.resetAndDestroy()],
    [
      'a reset within its headers',
      'reset',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nx: ', () => socket.resetAndDestroy()),
    ],
    ['an end within its headers', 'reset', (socket) => void socket.end('HTTP/1.1 200 OK\r\nx: ')],
    [
      'line ends without an answer',
      'answer-too-long',
      (socket) => writeEndlessly(socket, '\r\n'.repeat(500)),
    ],
  ])('%s: %s', async (_what, reason, behave) => {
    expect(await attempt(behave)).toMatchObject({ outcome: 'unreachable', reason });
  });
});

describe('an answer counts by its status, with any body (§6)', () => {
  const statuses = [
    [200, 'accepted'],
    [500, 'rejected'],
  ] as const;

  it.each(statuses)('%d with an endless body, of which at most 16 KB is read', async (status, outcome) => {
    let closed: Promise<unknown> | undefined;
    const result = await attempt((socket) => {
      closed = closing(socket);
      socket.write(`HTTP/1.1 ${status} X\r\ntransfer-encoding: chunked\r\n\r\n`);
      writeEndlessly(socket, `400\r\n${'x'.repeat(1_024)}\r\n`);
    });
    expect(result).toMatchObject({ outcome, httpStatus: status });
    expect(result.excerpt?.toString()).toBe(status === 500 ? 'x'.repeat(1_024) : undefined);
    await closed;
  });

  it('500 with a gzip bomb, which stays packed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    expect(bomb.length).toBeLessThan(16 * 1024);
    const result = await attempt((socket) => {
      socket.write(`HTTP/1.1 500 X\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
      socket.write(bomb);
    });
    expect(result).toMatchObject({ outcome: 'rejected', httpStatus: 500 });
    expect(result.excerpt).toEqual(bomb.subarray(0, 1_024));
  });
});

describe('a receiver with an invalid certificate gets nothing (§6)', () => {
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

  const attemptOver = async (
    hosts: string[],
    faults: { isExpired?: boolean; isSelfSigned?: boolean } = {},
    options: object = {},
  ): Promise<{ outcome: string; reason: AttemptReason | undefined; requests: number }> => {
    const { cert, key } = await tls.issue('receiver', { server: hosts }, faults);
    let requests = 0;
    const server = createTlsServer({
      cert: readFileSync(cert, 'utf8'),
      key: readFileSync(key, 'utf8'),
      ...options,
    });
    server.on('tlsClientError', () => {});
    const answer: Behaviour = (socket) => {
      requests += 1;
      socket.write('HTTP/1.1 204 X\r\n\r\n');
    };
    const { url } = await listen(answer, server, 'secureConnection');
    const { outcome, reason } = await attemptAt(
      agent,
      url.replace('http://127.0.0.1', 'https://localhost'),
      PATIENCE_MS,
    );
    return { outcome, reason, requests };
  };

  it('unlike one with a valid certificate', async () => {
    expect(await attemptOver(['localhost'])).toEqual({ outcome: 'accepted', reason: undefined, requests: 1 });
  });

  it.each<[string, AttemptReason, string[], { isExpired?: boolean; isSelfSigned?: boolean }, object]>([
    ['expired', 'certificate', ['localhost'], { isExpired: true }, {}],
    ['self-signed', 'certificate', ['localhost'], { isSelfSigned: true }, {}],
    ['of another host', 'certificate', ['other.tpp.example', '127.0.0.1'], {}, {}],
    [
      'shown in TLS 1.1',
      'tls',
      ['localhost'],
      {},
      { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' },
    ],
  ])('%s', async (_what, reason, hosts, faults, options) => {
    expect(await attemptOver(hosts, faults, options)).toEqual({
      outcome: 'unreachable',
      reason,
      requests: 0,
    });
  });

  it('expired, although the environment disables the check', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const result = await attemptOver(['localhost'], { isExpired: true });
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    expect(result).toEqual({ outcome: 'unreachable', reason: 'certificate', requests: 0 });
  });
});
