import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import { readRaw } from '@kontoport/testing/raw-http';
import { closeOf, plainly, Scene } from './scene.ts';

const scene = new Scene();
const given = scene.answer;
beforeAll(() => scene.open());
beforeEach(() => {
  scene.answer = given;
});
afterAll(() => scene.close());

describe('connections are bounded', () => {
  /** A record of the type handshake that announces more than ever comes. */
  const HALF_A_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]);

  it.each([
    ['no byte', Buffer.alloc(0)],
    ['half a ClientHello', HALF_A_HELLO],
  ])('in the time of their handshake: one that sends %s ends', async (_what, bytes) => {
    const socket = plainly(await scene.start({ handshakeMs: 100 }));
    socket.write(bytes);
    await closeOf(socket);
    expect(socket.destroyed).toBe(true);
  });

  it.each([
    ['from one address', { perAddress: 3, inAll: 100 }],
    ['in all', { perAddress: 100, inAll: 3 }],
  ])('%s: the oldest unfinished handshake ends, and the new connection is served', async (_what, limits) => {
    const { urls, ...edge } = await scene.start({ connections: limits });
    const silent = Array.from({ length: 3 }, () => plainly({ urls, ...edge }));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    expect(await scene.call(`${urls.base}/accounts`)).toMatchObject({ status: 200 });
    await closeOf(silent[0]!);
    expect(silent.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
    for (const socket of silent) socket.destroy();
  });

  it('one too many ends when all handshakes are complete; there is room again when one has ended', async () => {
    const edge = await scene.start({ connections: { perAddress: 2, inAll: 100 } });
    const kept = [await scene.connect(edge.urls.base), await scene.connect(edge.urls.base)];
    const call = () => scene.call(`${edge.urls.base}/accounts`);
    await expect(call()).rejects.toThrow(/ECONNRESET|disconnected|hang up/);
    expect(kept.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    kept[0]!.destroy();
    const isServed = async (): Promise<boolean> => (await call().catch(() => undefined))?.status === 200;
    expect(await until(isServed, { what: 'room for another' })).toBe(true);
    kept[1]!.destroy();
  });

  it('per address: 127.0.0.1 with all its connections leaves ::1 its own', async () => {
    // A machine without IPv6 has 127.0.0.1 alone.
    const edge = await scene.start({
      hosts: ['192.0.2.1', '127.0.0.1', '::1'],
      connections: { perAddress: 1, inAll: 2 },
    });
    const other = plainly(edge, '::1');
    const hasIpv6 = await once(other, 'connect').then(
      () => true,
      () => false,
    );
    const first = plainly(edge);
    await once(first, 'connect');
    const second = plainly(edge);
    await closeOf(first);
    expect([second.destroyed, other.destroyed]).toEqual([false, !hasIpv6]);
    for (const socket of [second, other]) socket.destroy();
  });
});

describe('a caller that does not read', () => {
  it('loses its connection', async () => {
    const answered = new Promise<ServerResponse>((resolve) => {
      scene.answer = (_request, response) => {
        response.end(Buffer.alloc(64 << 20));
        resolve(response);
      };
    });
    const edge = await scene.start({ idleLimitMs: 1_000, upstreamTimeoutMs: 600_000 });
    const socket = await scene.connect(edge.urls.base);
    socket.write('GET /accounts HTTP/1.1\r\nHost: x\r\n\r\n');
    const response = await answered;
    if (!response.closed) await once(response, 'close');
    expect(response.writableFinished).toBe(false);
    await closeOf(socket);
  });
});

describe('pipelined requests', () => {
  const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

  it('have their answers in their order', async () => {
    scene.answer = ({ url }, response) => void response.end(url);
    const paths = Array.from({ length: 16 }, (_, at) => `/accounts/${at}`);
    const raw = paths.map(ask).join('').replace(/\r\n$/, 'Connection: close\r\n\r\n');
    const received = await scene.exchange(raw);
    expect([...received.matchAll(/\/accounts\/\d+/g)].map(([path]) => path)).toEqual(paths);
  });

  it('of more than 16 end the connection, and all of them at the service', async () => {
    const open = new Set<ServerResponse>();
    scene.answer = (_request, response) => {
      open.add(response);
      response.once('close', () => open.delete(response));
    };
    const socket = await scene.connect();
    socket.write(ask('/accounts').repeat(16));
    await until(() => open.size === 16, { what: 'the requests at the service' });
    socket.write(ask('/accounts'));
    await closeOf(socket);
    const allEnd = until(() => open.size === 0, { what: 'the end of the requests at the service' });
    expect(await allEnd).toBe(true);
  });
});

describe('an answer that comes before the request is complete', () => {
  it.each([
    ['of known length', { 'content-length': String(8 << 20) }],
    ['without end', { 'transfer-encoding': 'chunked' }],
  ])('reaches the caller of a body %s', async (_what, headers) => {
    const body = '{"errorCode":"PAYLOAD_TOO_LARGE"}';
    const service = createServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', () => {
          socket.pause();
          socket.write(`HTTP/1.1 413 Payload Too Large\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
        });
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { urls } = await scene.start({ port: (service.address() as AddressInfo).port });
    for (let i = 0; i < 10; i += 1) {
      const agent = scene.newAgent();
      const outgoing = request(`${urls.registration}/tpp`, { method: 'POST', headers, agent });
      const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
      let isAnswered = false;
      void answered.then(() => (isAnswered = true));
      outgoing.on('error', () => {});
      const chunk = Buffer.alloc(64 * 1024, 0x20);
      while (!isAnswered) if (!outgoing.write(chunk)) await Promise.race([once(outgoing, 'drain'), answered]);
      const [response] = await answered;
      expect(response.statusCode).toBe(413);
      expect(await text(response)).toBe(body);
      agent.destroy();
    }
    service.close();
  });
});

describe('the edge refuses in JSON, and at the token endpoint in the form of RFC 6749,', () => {
  const chunked = (body: string): string =>
    `POST /accounts HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

  it.each<[string, string, number, string]>([
    ['CONNECT', 'CONNECT bank.test:443 HTTP/1.1\r\nHost: bank.test:443\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    [
      'an unknown expectation',
      'POST /accounts HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
      417,
      'FORMAT_ERROR',
    ],
    ['a request without Host', 'GET /accounts HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'FORMAT_ERROR'],
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', 400, 'FORMAT_ERROR'],
    ['headers of 17 KB', `GET /accounts HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'FORMAT_ERROR'],
    ['a chunk without a size', chunked('zz\r\n{}\r\n'), 400, 'FORMAT_ERROR'],
    ['a chunk extension of 20 KB', chunked(`1;a=${'x'.repeat(20_000)}\r\n{\r\n`), 400, 'FORMAT_ERROR'],
    ['an unknown transfer coding', chunked('').replace('chunked', 'gzip'), 400, 'FORMAT_ERROR'],
  ])('%s', async (_what, raw, status, errorCode) => {
    const refusal = readRaw(await scene.exchange(raw));
    expect(refusal).toMatchObject({ status, json: { errorCode, requestId: expect.any(String) as string } });
    const atAuth = raw.replace(/(GET|POST) \/accounts/, '$1 /oauth2/token');
    const oauth = readRaw(await scene.exchange(atAuth, scene.edge.urls.auth));
    expect(oauth).toMatchObject({ status, json: { error: 'invalid_request' } });
    expect(oauth.json).not.toHaveProperty('errorCode');
  });

  it('but beside the token endpoint in JSON, and to users as a page', async () => {
    const raw = 'GET /.well-known/jwks.json HTTP/1.1\r\nConnection: close\r\n\r\n';
    expect(readRaw(await scene.exchange(raw, scene.edge.urls.auth)).json).toMatchObject({
      errorCode: 'FORMAT_ERROR',
    });
    const page = await scene.exchange('nonsense\r\n\r\n', scene.edge.urls.user);
    expect(page).toMatch(/^HTTP\/1.1 400 [\s\S]*content-type: text\/html[\s\S]*<html lang="en">/);
  });

  it('but answers 404 in whole, whatever the body is', async () => {
    const raw = chunked('zz\r\n{}\r\n').replace('/accounts', '/nothing');
    expect(readRaw(await scene.exchange(raw))).toMatchObject({
      status: 404,
      json: { errorCode: 'ROUTE_UNKNOWN' },
    });
  });

  it('a chunk without a size that comes later', async () => {
    const socket = await scene.connect();
    socket.write(chunked('1\r\n{\r\n'));
    await until(() => scene.seen.body === '{', { what: 'the request at the service' });
    socket.write('zz\r\n');
    expect(readRaw(await text(socket))).toMatchObject({ status: 400, json: { errorCode: 'FORMAT_ERROR' } });
  });

  it('but not within an answer that has begun, which it cuts', async () => {
    const service = createServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n');
        });
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { urls } = await scene.start({ port: (service.address() as AddressInfo).port });
    const socket = await scene.connect(urls.base);
    socket.write(chunked('1\r\n{\r\n'));
    const [begun] = (await once(socket, 'data')) as [Buffer];
    expect(String(begun)).toMatch(/^HTTP\/1.1 200 /);
    socket.write('zz\r\n');
    expect(await text(socket)).not.toContain('HTTP/1.1 400');
    service.close();
  });
});

describe('the edge closes', () => {
  it.each([
    ['after the answer to a request in flight', 60_000, true],
    ['in bounded time', 50, false],
  ])('%s, with whatever else is open', async (_what, drainLimitMs, isAnswered) => {
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      scene.answer = (_request, response) => {
        answer = () => void response.end('{"late":true}');
        resolve();
      };
    });
    const edge = await scene.start({ drainLimitMs });
    const [silent, idle] = [plainly(edge), await scene.connect(edge.urls.base)];
    const answered = scene.call(`${edge.urls.base}/accounts`).then(
      ({ body }) => body,
      () => 'cut',
    );
    await asked;
    const closed = edge.close();
    if (isAnswered) answer();
    expect(await answered).toBe(isAnswered ? '{"late":true}' : 'cut');
    await Promise.all([closed, closeOf(silent), closeOf(idle)]);
  });

  it('what it has opened when a port is taken', async () => {
    const auth = Number(new URL(scene.edge.urls.base).port);
    const taken = scene.start({ ports: { base: 0, registration: 0, auth, user: 0 } });
    await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE', port: auth });
  });
});
