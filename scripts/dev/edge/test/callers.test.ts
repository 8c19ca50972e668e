import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import { readRaw } from '@kontoport/testing/raw-http';
import { closeOf, plainly, Scene } from './scene.ts';

const scene = new Scene();

beforeAll(() => scene.open());
beforeEach(() => {
  scene.answer = () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
});
afterAll(() => scene.close());

describe('the edge ends in bounded time', () => {
  it('gives a request in flight its time', async () => {
    let asked = (): void => {};
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    let answer = (): void => {};
    const { edge, close } = await scene.edgeOfItsOwn({}, (_url, response) => {
      answer = () => void response.end('{"late":true}');
      asked();
    });
    const answered = scene.call(`${edge.urls.base}/accounts`);
    await arrived;
    const closed = close();
    answer();
    expect(await answered).toMatchObject({ status: 200, body: '{"late":true}' });
    await closed;
  });

  it('but no more than that', async () => {
    let asked = (): void => {};
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    const { edge, close } = await scene.edgeOfItsOwn({ drainLimitMs: 50 }, () => asked());
    const answered = scene.call(`${edge.urls.base}/accounts`);
    await arrived;
    await Promise.all([expect(answered).rejects.toThrow(/hang up|ECONNRESET/), close()]);
  });

  it('whatever idles: kept connections are ended at once', async () => {
    const { edge, close } = await scene.edgeOfItsOwn({ drainLimitMs: 60_000 });
    const agent = new Agent({ ca: scene.rootPem, keepAlive: true });
    const outgoing = request(`${edge.urls.base}/accounts`, { agent }).end();
    const [response] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage];
    await text(response);
    await close();
    await until(() => Object.keys(agent.freeSockets).length === 0, { what: 'the end of the connection' });
    expect(response.statusCode).toBe(200);
    agent.destroy();
  });
});

describe('requests that one connection pipelines', () => {
  const ask = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

  it('are answered in their order', async () => {
    const { edge, close } = await scene.edgeOfItsOwn({}, (url, response) => void response.end(url.slice(1)));
    const socket = scene.connect(edge.urls.base);
    await once(socket, 'secureConnect');
    const paths = Array.from({ length: 16 }, (_, at) => `/accounts/${at}`);
    socket.write(paths.map(ask).join('').replace(/\r\n$/, 'Connection: close\r\n\r\n'));
    const received = await text(socket);
    expect([...received.matchAll(/accounts\/\d+/g)].map(([path]) => `/${path}`)).toEqual(paths);
    await close();
  });

  it('are given up together when one too many comes', async () => {
    const open = new Set<ServerResponse>();
    const { edge, close } = await scene.edgeOfItsOwn({}, (_url, response) => {
      open.add(response);
      response.once('close', () => open.delete(response));
    });
    const socket = scene.connect(edge.urls.base);
    await once(socket, 'secureConnect');
    socket.write(ask('/accounts/1').repeat(16));
    await until(() => open.size === 16, { what: 'the requests at the service' });
    socket.write(ask('/accounts/1'));
    await closeOf(socket);
    await until(() => open.size === 0, { what: 'the end of the requests at the service' });
    expect(open.size).toBe(0);
    await close();
  });
});

describe('an answer that comes before the request is complete', () => {
  /** A service that refuses what it has not read, and then ends the connection under whoever still sends. */
  async function impatientService() {
    const body = '{"errorCode":"PAYLOAD_TOO_LARGE"}';
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.pause();
        socket.write(
          `HTTP/1.1 413 Payload Too Large\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const edge = await scene.edgeBefore((server.address() as AddressInfo).port);
    return {
      edge,
      async close() {
        await edge.close();
        server.close();
      },
    };
  }

  it.each([
    ['of known length', { 'content-length': String(8 << 20) }],
    ['without end', { 'transfer-encoding': 'chunked' }],
  ])('reaches the caller of a body %s, each time', async (_what, headers) => {
    const { edge, close } = await impatientService();
    for (let i = 0; i < 25; i += 1) {
      const agent = new Agent({ ca: scene.rootPem });
      const outgoing = request(`${edge.urls.registration}/tpp`, { method: 'POST', headers, agent });
      const answered = once(outgoing, 'response') as Promise<[import('node:http').IncomingMessage]>;
      let isAnswered = false;
      void answered.then(() => (isAnswered = true));
      outgoing.on('error', () => {});
      const chunk = Buffer.alloc(64 * 1024, 0x20);
      while (!isAnswered) if (!outgoing.write(chunk)) await Promise.race([once(outgoing, 'drain'), answered]);
      const [response] = await answered;
      expect(response.statusCode).toBe(413);
      expect(response.headers.connection).toBe('close');
      expect(await text(response)).toContain('PAYLOAD_TOO_LARGE');
      agent.destroy();
    }
    await close();
  });
});

describe('what is no request, or none that can be served', () => {
  it.each<[string, string, number, string]>([
    ['CONNECT', 'CONNECT bank.test:443 HTTP/1.1\r\nHost: bank.test:443\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    [
      'an unknown expectation',
      'POST /accounts HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
      417,
      'FORMAT_ERROR',
    ],
    ['no Host', 'GET /accounts HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'FORMAT_ERROR'],
    ['no HTTP', 'nonsense\r\n\r\n', 400, 'FORMAT_ERROR'],
    [
      'headers without end',
      `GET /accounts HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      'FORMAT_ERROR',
    ],
  ])(
    '%s is refused in JSON, at the token endpoint as RFC 6749 has it',
    async (_what, raw, status, errorCode) => {
      const refusal = readRaw(await scene.exchange(raw));
      expect(refusal).toMatchObject({ status, json: { errorCode, requestId: expect.any(String) as string } });
      const atAuth = raw.replace(/(GET|POST) \/accounts/, '$1 /oauth2/token');
      const oauth = readRaw(await scene.exchange(atAuth, scene.edge.urls.auth));
      expect(oauth).toMatchObject({ status, json: { error: 'invalid_request' } });
      expect(oauth.json).not.toHaveProperty('errorCode');
    },
  );

  it('is answered in JSON beside the token endpoint', async () => {
    const raw = 'GET /.well-known/jwks.json HTTP/1.1\r\nConnection: close\r\n\r\n';
    expect(readRaw(await scene.exchange(raw, scene.edge.urls.auth)).json).toMatchObject({
      errorCode: 'FORMAT_ERROR',
    });
  });

  it('is answered with a page at the address of the bank’s users', async () => {
    const answer = await scene.exchange('nonsense\r\n\r\n', scene.edge.urls.user);
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*content-type: text\/html[\s\S]*<html lang="en">/);
  });

  it('names what a CONNECT may be instead', async () => {
    const { head } = readRaw(await scene.exchange('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'));
    expect(head).toMatch(/^allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS$/m);
  });

  it('is told the scheme when it is HTTP without TLS', async () => {
    const socket = plainly(scene.edge);
    socket.write('GET /accounts HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(readRaw(await text(socket))).toMatchObject({
      status: 400,
      json: { errorCode: 'FORMAT_ERROR', message: 'This port speaks TLS: call it with https://.' },
    });
  });

  it('ends the second after its refusal, also when the caller does not end its side', async () => {
    const port = Number(new URL(scene.edge.urls.base).port);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
    socket.write('GET / HTTP/1.1\r\n\r\n');
    expect(readRaw(await text(socket)).status).toBe(400);
    // What is said into a connection that has ended is refused, which ends ours.
    const speaking = setInterval(() => socket.write('x'), 20);
    await closeOf(socket);
    clearInterval(speaking);
  });
});

describe('Expect: 100-continue (RFC 9110 §10.1.1)', () => {
  it('is answered before the body is sent', async () => {
    const socket = scene.connect();
    await once(socket, 'secureConnect');
    socket.write(
      'POST /accounts HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n',
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(String(first)).toMatch(/^HTTP\/1.1 100 Continue/);
    socket.write('{}');
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK/);
    expect(scene.seen).toMatchObject({ body: '{}' });
    expect(scene.seen.rawNames).not.toContain('expect');
  });
});

describe('a body that is no HTTP', () => {
  const chunked = (body: string): string =>
    `POST /accounts HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

  it.each([
    ['a chunk without a size', chunked('zz\r\n{}\r\n')],
    ['a chunk extension of 20 KB', chunked(`1;a=${'x'.repeat(20_000)}\r\n{\r\n`)],
    ['a coding that nobody knows', chunked('').replace('chunked', 'gzip')],
  ])('is 400 with the error body: %s', async (_what, raw) => {
    expect(readRaw(await scene.exchange(raw))).toMatchObject({
      status: 400,
      json: { errorCode: 'FORMAT_ERROR', requestId: expect.any(String) as string },
    });
  });

  it('is 400 in the words of the token endpoint there', async () => {
    const raw = chunked('zz\r\n').replace('/accounts', '/oauth2/token');
    expect(readRaw(await scene.exchange(raw, scene.edge.urls.auth))).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    });
  });

  it('ends the connection once an answer has begun', async () => {
    const { edge, close } = await scene.edgeOfItsOwn({}, (_url, response) => void response.write('{'));
    const socket = scene.connect(edge.urls.base);
    await once(socket, 'secureConnect');
    socket.write(chunked('1\r\n{\r\n'));
    const [begun] = (await once(socket, 'data')) as [Buffer];
    expect(String(begun)).toMatch(/^HTTP\/1.1 200 /);
    socket.write('zz\r\n');
    expect(await text(socket)).not.toContain('HTTP/1.1 400');
    await close();
  });
});

describe('a service that dies', () => {
  /** Ends every connection as soon as something is asked. */
  async function dyingService() {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {});
      socket.once('data', () => socket.resetAndDestroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const edge = await scene.edgeBefore((server.address() as AddressInfo).port);
    return { edge, connections: () => connections, server };
  }

  it.each([
    ['GET', 503],
    ['HEAD', 503],
    ['DELETE', 502],
    ['POST', 502],
  ])('%s is answered %i, and asked once', async (method, status) => {
    const { edge, connections, server } = await dyingService();
    const answer = await scene.call(`${edge.urls.base}/accounts`, { method });
    expect([answer.status, connections()]).toEqual([status, 1]);
    expect(answer.headers['retry-after']).toBe('1');
    await edge.close();
    server.close();
  });
});
