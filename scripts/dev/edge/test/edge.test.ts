import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { freePort } from '@kontoport/embedded/port';
import { ERROR_CODES } from '@kontoport/errors';
import { Scene } from './scene.ts';

const scene = new Scene();

const der = (pem: string): string[] =>
  [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g)].map(
    ([, base64]) => `:${base64!.replaceAll(/\s/g, '')}:`,
  );

const given = scene.answer;
beforeAll(() => scene.open());
beforeEach(() => {
  scene.answer = given;
});
afterAll(() => scene.close());

// real-edges.test.ts holds this edge to the promises that all edges share.
describe('the edge forwards the presented chain (RFC 9440)', () => {
  it('whole and in its order, with each request of a connection', async () => {
    const cert = scene.qwac.chainPem + readFileSync(scene.ca.server.certificate, 'utf8') + scene.rootPem;
    const agent = scene.newAgent({ cert, keepAlive: true });
    const [leaf, ...rest] = der(cert);
    for (let i = 0; i < 2; i += 1) {
      await scene.call(`${scene.edge.urls.base}/accounts`, {
        agent,
        headers: { 'Client-Cert': [':Zm9yZ2Vk:', ':Zm9yZ2Vk:'] },
      });
      expect(scene.seen.headers).toMatchObject({ 'client-cert': leaf, 'client-cert-chain': rest.join(', ') });
      expect(scene.seen.rawNames.filter((name) => name.startsWith('client-cert'))).toHaveLength(2);
    }
    agent.destroy();
  });
});

describe('the edge passes requests and answers on', () => {
  it('with method, path, query, headers, body and status', async () => {
    scene.answer = (_request, response) =>
      response.writeHead(201, { 'x-own': 'yes', 'set-cookie': ['a=1', 'b=2'] }).end('done');
    const response = await scene.call(`${scene.edge.urls.base}/aisp-pisp/payments/drafts?a=%20b&a=c`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-language': 'da', connection: 'host' },
      body: '{"a":1}',
    });
    expect(scene.seen).toMatchObject({ url: '/aisp-pisp/payments/drafts?a=%20b&a=c', body: '{"a":1}' });
    expect(scene.seen.headers).toMatchObject({
      'content-length': '7',
      'x-language': 'da',
      host: new URL(scene.edge.urls.base).host,
    });
    expect(response).toMatchObject({ status: 201, body: 'done', headers: { 'x-own': 'yes' } });
    expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  it('with the chunked body of a GET', async () => {
    await scene.call(`${scene.edge.urls.base}/funds-confirmation`, {
      headers: { 'transfer-encoding': 'chunked' },
      body: '{"accountId":"1"}',
    });
    expect(scene.seen.body).toBe('{"accountId":"1"}');
  });

  it.each([
    ['authorization', ['Authorization: Bearer a', 'Authorization: Bearer b']],
    ['host', ['Host: elsewhere']],
  ])('with two headers %s as they came, for the service to refuse', async (name, lines) => {
    const head = ['GET /accounts HTTP/1.1', 'Host: localhost', 'Connection: close', ...lines];
    await scene.exchange(`${head.join('\r\n')}\r\n\r\n`);
    expect(scene.seen.rawNames.filter((each) => each === name)).toHaveLength(2);
  });

  it.each(['GET', 'DELETE', 'POST'])(
    'with the body of a %s as a body, also when Connection names Content-Length',
    async (method) => {
      const requests: (string | undefined)[] = [];
      scene.answer = ({ url }, response) => {
        requests.push(url);
        response.end('{}');
      };
      const body = 'GET /accounts/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';
      await scene.call(`${scene.edge.urls.base}/accounts`, {
        method,
        headers: { connection: 'content-length, transfer-encoding', 'content-length': String(body.length) },
        body,
      });
      // It uses the kept connection, whose unread bytes would be read as a request before it.
      await scene.call(`${scene.edge.urls.base}/accounts/next`);
      expect(requests).toEqual(['/accounts', '/accounts/next']);
    },
  );

  it('after 100 Continue to a client that expects it (RFC 9110 §10.1.1)', async () => {
    const socket = await scene.connect();
    socket.write(
      'POST /accounts HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n',
    );
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(String(first)).toMatch(/^HTTP\/1.1 100 Continue/);
    socket.write('{}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK/);
    expect(scene.seen).toMatchObject({ body: '{}' });
    expect(scene.seen.rawNames).not.toContain('expect');
    socket.destroy();
  });
});

describe('the edge answers in the form of the service', () => {
  const errorOf = (body: string) => JSON.parse(body) as Record<string, unknown>;

  it('404 for an unknown path, and names the address that has it', async () => {
    const [unknown, elsewhere] = await Promise.all(
      ['/nowhere', '/tpp/1?x=1'].map((path) =>
        scene.call(scene.edge.urls.base + path, { headers: { 'x-request-id': 'r-1' } }),
      ),
    );
    expect(unknown!.status).toBe(404);
    expect(errorOf(unknown!.body)).toEqual({
      errorCode: 'ROUTE_UNKNOWN',
      message: 'No route has this path.',
      requestId: 'r-1',
    });
    expect(errorOf(elsewhere!.body).message).toBe(
      'No route has this path here; it is answered at registration_url.',
    );
  });

  it("in the caller's language, and as problem+json if the caller asks for it", async () => {
    const { headers, body } = await scene.call(`${scene.edge.urls.base}/nowhere`, {
      headers: { 'x-language': 'sv-SE', accept: 'application/problem+json', 'x-request-id': 'not usable' },
    });
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'content-language': 'sv',
      'cache-control': 'no-store',
    });
    expect(errorOf(body)).toMatchObject({
      status: 404,
      errorCode: 'ROUTE_UNKNOWN',
      detail: `${ERROR_CODES.ROUTE_UNKNOWN.cause.sv} No route has this path.`,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });

  it.each([
    ['base', 'GET', '/accounts', 401, { errorCode: 'CERTIFICATE_INVALID' }],
    ['registration', 'POST', '/tpp?a=b', 403, { errorCode: 'CERTIFICATE_INVALID' }],
    ['auth', 'POST', '/oauth2/token', 401, { error: 'invalid_client' }],
  ] as const)(
    'to a chain of more than 44 KB at %s_url, %s %s: %i',
    async (address, method, path, status, error) => {
      const cert = scene.qwac.chainPem + scene.rootPem.repeat(80);
      const answer = await scene.call(`${scene.edge.urls[address]}${path}`, { method, cert });
      expect(answer.status).toBe(status);
      expect(errorOf(answer.body)).toMatchObject(error);
    },
  );

  it('503 with Retry-After while the service is away, and forwards again when it is back', async () => {
    const port = await freePort();
    const { urls } = await scene.start({ port });
    const post = () => scene.call(`${urls.registration}/tpp`, { method: 'POST', body: '{}' });
    const { status, body, headers } = await post();
    expect(status).toBe(503);
    expect(errorOf(body)).toMatchObject({ errorCode: 'UNAVAILABLE', requestId: headers['x-request-id'] });
    expect(headers['retry-after']).toBe('1');
    const service = createHttpServer((_request, response) => response.end('{}')).listen(port, '127.0.0.1');
    await once(service, 'listening');
    expect((await post()).status).toBe(200);
    service.closeAllConnections();
    service.close();
  });

  it('504 when the service is silent for too long', async () => {
    scene.answer = () => {};
    const { urls } = await scene.start({ upstreamTimeoutMs: 100 });
    const { status, body } = await scene.call(`${urls.base}/accounts`);
    expect(status).toBe(504);
    expect(errorOf(body)).toMatchObject({ errorCode: 'UNAVAILABLE' });
  });

  it.each([
    ['GET', 503],
    ['HEAD', 503],
    ['DELETE', 502],
    ['POST', 502],
  ])('%s to a service that dies, which it asks once: %i', async (method, status) => {
    let connections = 0;
    const service = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {}).once('data', () => socket.resetAndDestroy());
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { urls } = await scene.start({ port: (service.address() as AddressInfo).port });
    const answer = await scene.call(`${urls.base}/accounts`, { method });
    expect([answer.status, connections]).toEqual([status, 1]);
    expect(answer.headers['retry-after']).toBe('1');
    service.close();
  });
});
