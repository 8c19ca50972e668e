import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ERROR_CODES } from '@kontoport/errors';
import { PortTaken } from '../src/door.ts';
import { EDGE_SECRET, NO_PORTS, Scene } from './scene.ts';

const scene = new Scene();

function der(pem: string): string[] {
  return [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g)].map(
    ([, base64]) => `:${base64!.replaceAll(/\s/g, '')}:`,
  );
}

beforeAll(() => scene.open());
beforeEach(() => {
  scene.answer = () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
});
afterAll(() => scene.close());

describe('the edge forwards who is calling (RFC 9440)', () => {
  it('hands the whole presented chain over, in the order presented, members that issued nothing included', async () => {
    const presented = scene.qwac.chainPem + readFileSync(scene.ca.server.certificate, 'utf8') + scene.rootPem;
    await scene.call(`${scene.edge.urls.base}/accounts`, { cert: presented });
    const [leaf, ...rest] = der(presented);
    expect(scene.seen.headers['client-cert']).toBe(leaf);
    expect(scene.seen.headers['client-cert-chain']).toBe(rest.join(', '));
  });

  it('hands the same chain over for every request of a connection', async () => {
    const agent = new Agent({
      ca: scene.rootPem,
      cert: scene.qwac.chainPem,
      key: scene.qwac.keyPem,
      keepAlive: true,
    });
    const chains: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      const outgoing = request(`${scene.edge.urls.base}/accounts`, { agent });
      outgoing.end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      await text(response);
      chains.push(scene.seen.headers['client-cert-chain']);
    }
    agent.destroy();
    const [, issuing] = der(scene.qwac.chainPem);
    expect(chains).toEqual([issuing, issuing, issuing]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'does not let a resumed session lose the chain: %s',
    async (version) => {
      let session: Buffer | undefined;
      const chains: unknown[] = [];
      for (let i = 0; i < 2; i += 1) {
        const socket = scene.connect(undefined, {
          cert: scene.qwac.chainPem,
          key: scene.qwac.keyPem,
          maxVersion: version,
          minVersion: version,
          ...(session ? { session } : {}),
        });
        socket.on('session', (fresh: Buffer) => (session = fresh));
        await once(socket, 'secureConnect');
        socket.write('GET /accounts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
        await text(socket);
        chains.push(scene.seen.headers['client-cert-chain']);
      }
      const [, issuing] = der(scene.qwac.chainPem);
      expect(chains).toEqual([issuing, issuing]);
    },
  );

  it('strips what a client forges: certificate, edge secret and forwarding headers', async () => {
    await scene.call(`${scene.edge.urls.user}/approvals/1`, {
      headers: {
        'Client-Cert': ':Zm9yZ2Vk:',
        'client-cert-chain': ':Zm9yZ2Vk:',
        'X-Edge-Secret': 'guess',
        'X-Forwarded-For': '10.0.0.1',
        'X-Forwarded-Client-Cert': 'Hash=1',
        Forwarded: 'for=10.0.0.1',
      },
    });
    expect(scene.seen.headers).toMatchObject({ 'x-edge-secret': EDGE_SECRET });
    expect(scene.seen.rawNames.filter((name) => /client-cert|forwarded/.test(name))).toEqual([]);
  });

  it.each([
    ['authorization', ['Authorization: Bearer a', 'Authorization: Bearer b']],
    ['host', ['Host: elsewhere']],
  ])('hands on two headers %s as they came, for the service to refuse', async (name, lines) => {
    const head = ['GET /accounts HTTP/1.1', 'Host: localhost', 'Connection: close', ...lines];
    await scene.exchange(`${head.join('\r\n')}\r\n\r\n`);
    expect(scene.seen.rawNames.filter((each) => each === name)).toHaveLength(2);
  });

  it('hands on a header named as a property of every object once', async () => {
    for (const name of ['constructor', 'tostring', '__proto__']) {
      await scene.exchange(`GET /accounts HTTP/1.1\r\nHost: x\r\n${name}: a\r\nConnection: close\r\n\r\n`);
      expect(scene.seen.rawNames.filter((each) => each === name)).toHaveLength(1);
    }
  });

  it('replaces a forged certificate by the presented one, as a single field', async () => {
    await scene.call(`${scene.edge.urls.base}/accounts`, {
      headers: { 'Client-Cert': [':Zm9yZ2Vk:', ':Zm9yZ2Vk:'] },
    });
    expect(scene.seen.rawNames.filter((name) => name === 'client-cert')).toHaveLength(1);
    expect(scene.seen.headers['client-cert']).toBe(der(scene.qwac.chainPem)[0]);
  });

  it('lets callers without certificate through to the service, which refuses them in JSON', async () => {
    scene.answer = () => ({ status: 401, body: '{"errorCode":"CERTIFICATE_MISSING"}' });
    const { status } = await scene.call(`${scene.edge.urls.base}/accounts`, { cert: '', key: '' });
    expect(status).toBe(401);
    expect(scene.seen.rawNames).not.toContain('client-cert');
  });
});

describe('the edge passes requests and answers on as they are', () => {
  it('keeps method, path, query, headers, body and status', async () => {
    scene.answer = () => ({
      status: 201,
      headers: { 'x-own': 'yes', 'content-type': 'text/plain' },
      body: 'done',
    });
    const response = await scene.call(`${scene.edge.urls.base}/aisp-pisp/payments/drafts?a=%20b&a=c`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-language': 'da' },
      body: '{"a":1}',
    });
    expect(scene.seen).toMatchObject({ url: '/aisp-pisp/payments/drafts?a=%20b&a=c', body: '{"a":1}' });
    expect(scene.seen.headers).toMatchObject({ 'content-length': '7', 'x-language': 'da' });
    expect(response).toMatchObject({ status: 201, body: 'done', headers: { 'x-own': 'yes' } });
  });

  it('keeps the body of a GET, chunked as it came', async () => {
    await scene.call(`${scene.edge.urls.base}/funds-confirmation`, {
      headers: { 'transfer-encoding': 'chunked' },
      body: '{"accountId":"1"}',
    });
    expect(scene.seen.body).toBe('{"accountId":"1"}');
  });

  it.each(['GET', 'DELETE', 'POST'])(
    'keeps the body of a %s one with its request, also when Connection names Content-Length',
    async (method) => {
      const requests: (string | undefined)[] = [];
      scene.answer = ({ url }) => {
        requests.push(url);
        return { status: 200, body: '{}' };
      };
      const body = 'GET /accounts/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';
      await scene.call(`${scene.edge.urls.base}/accounts`, {
        method,
        headers: { connection: 'content-length, transfer-encoding', 'content-length': String(body.length) },
        body,
      });
      // The kept connection is the same: what was left on it would be read before this request.
      await scene.call(`${scene.edge.urls.base}/accounts/next`);
      expect(requests).toEqual(['/accounts', '/accounts/next']);
    },
  );

  it('hands X-Request-Id on as it came, and adds none: an id is a promise that only its caller can make', async () => {
    await scene.call(`${scene.edge.urls.base}/accounts`, { headers: { 'X-Request-Id': 'mine-1' } });
    expect(scene.seen.headers['x-request-id']).toBe('mine-1');
    const without = await scene.call(`${scene.edge.urls.base}/accounts`);
    expect(scene.seen.rawNames).not.toContain('x-request-id');
    expect(without.headers).not.toHaveProperty('x-request-id');
  });

  it('keeps Host, also when Connection names it', async () => {
    await scene.call(`${scene.edge.urls.base}/accounts`, { headers: { connection: 'host' } });
    expect(scene.seen.headers.host).toBe(new URL(scene.edge.urls.base).host);
  });
});

describe('the edge answers in JSON when a service does not', () => {
  const errorOf = (body: string) => JSON.parse(body) as Record<string, unknown>;

  it('404 ROUTE_UNKNOWN for a path that no service has', async () => {
    const { status, body, headers } = await scene.call(`${scene.edge.urls.base}/nowhere`, {
      headers: { 'x-request-id': 'r-1' },
    });
    expect(status).toBe(404);
    expect(errorOf(body)).toEqual({
      errorCode: 'ROUTE_UNKNOWN',
      message: 'No route has this path.',
      requestId: 'r-1',
    });
    expect(headers['content-type']).toMatch('application/json');
  });

  it.each([
    ['base', 'GET', '/accounts', 401, { errorCode: 'CERTIFICATE_INVALID' }],
    ['registration', 'GET', '/tpp/1', 401, { errorCode: 'CERTIFICATE_INVALID' }],
    ['registration', 'POST', '/tpp?a=b', 403, { errorCode: 'CERTIFICATE_INVALID' }],
    ['auth', 'POST', '/oauth2/token', 401, { error: 'invalid_client' }],
  ] as const)(
    'a chain of more than 44 KB at %s_url, %s %s: %i',
    async (address, method, path, status, error) => {
      const cert = scene.qwac.chainPem + scene.rootPem.repeat(80);
      const answer = await scene.call(`${scene.edge.urls[address]}${path}`, { method, cert });
      expect(answer.status).toBe(status);
      expect(errorOf(answer.body)).toMatchObject(error);
    },
  );

  it('404 for a path of another address, which it names', async () => {
    const { body } = await scene.call(`${scene.edge.urls.base}/tpp/1?x=1`);
    expect(errorOf(body).message).toBe('No route has this path here; it is answered at registration_url.');
  });

  it("in the caller's language and as problem+json where that is asked for, as the services do", async () => {
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

  it('503 UNAVAILABLE with Retry-After when the service is not reachable', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const lonely = await scene.edgeBefore(port);
    const { status, body, headers } = await scene.call(`${lonely.urls.registration}/tpp`, {
      method: 'POST',
      body: '{}',
    });
    await lonely.close();
    expect(status).toBe(503);
    expect(errorOf(body)).toMatchObject({ errorCode: 'UNAVAILABLE', requestId: headers['x-request-id'] });
    expect(headers['retry-after']).toBe('1');
  });

  it('504 UNAVAILABLE when the service is silent for too long', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const patient = await scene.edgeBefore((silent.address() as AddressInfo).port, {
      upstreamTimeoutMs: 100,
    });
    const { status, body } = await scene.call(`${patient.urls.base}/accounts`);
    await patient.close();
    silent.closeAllConnections();
    silent.close();
    expect(status).toBe(504);
    expect(errorOf(body)).toMatchObject({ errorCode: 'UNAVAILABLE' });
  });

  it('lets nobody wait for callers who never end their requests, however many they are', async () => {
    const slow = Array.from({ length: 270 }, () => {
      const socket = scene.connect();
      socket.write('POST /accounts HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
      return socket;
    });
    try {
      await Promise.all(slow.map((socket) => once(socket, 'secureConnect')));
      expect(await scene.call(`${scene.edge.urls.base}/accounts`)).toMatchObject({ status: 200 });
    } finally {
      for (const socket of slow) socket.destroy();
    }
  });
});

describe('the edge as a TLS server', () => {
  it('asks for no client certificate at the user address', async () => {
    await scene.call(`${scene.edge.urls.user}/approvals/1`);
    expect(scene.seen.rawNames).not.toContain('client-cert');
    await scene.call(`${scene.edge.urls.auth}/oauth2/token`);
    expect(scene.seen.rawNames).toContain('client-cert');
  });

  it('says which address cannot have its port', async () => {
    const taken = Number(new URL(scene.edge.urls.base).port);
    const second = scene.edgeBefore(1, { ports: { ...NO_PORTS, auth: taken } });
    await expect(second).rejects.toMatchObject({ address: 'auth', port: taken });
    await expect(second).rejects.toBeInstanceOf(PortTaken);
  });
});
