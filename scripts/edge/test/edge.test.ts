import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { ensureSandboxCa, mintQwac, type Qwac, readIssuer, type SandboxCa } from '@kontoport/issuing';
import { type Edge, type EdgeOptions, startEdge } from '../src/edge.ts';
import { PortTaken } from '../src/listener.ts';
import { UPSTREAMS } from '../src/routes.ts';

const EDGE_SECRET = 'edge-secret-of-this-test';
const NO_PORTS = { base: 0, registration: 0, auth: 0, user: 0 };

let folder: string;
let ca: SandboxCa;
let rootPem: string;
let qwac: Qwac;
let upstream: Server;
let edge: Edge;
/** What the service saw of the last request. */
let seen: { url: string; headers: IncomingHttpHeaders; rawNames: string[]; body: string };
let answer: (request: IncomingMessage) => { status: number; headers?: Record<string, string>; body?: string };

/** An edge whose services all answer on one port. */
function edgeBefore(port: number, change: Partial<EdgeOptions> = {}): Promise<Edge> {
  return startEdge({
    host: '127.0.0.1',
    ports: NO_PORTS,
    server: {
      cert: readFileSync(ca.server.certificate, 'utf8'),
      key: readFileSync(ca.server.key, 'utf8'),
    },
    upstreams: Object.fromEntries(
      UPSTREAMS.map((name) => [name, { host: '127.0.0.1', port }]),
    ) as EdgeOptions['upstreams'],
    edgeSecret: EDGE_SECRET,
    ...change,
  });
}

function der(pem: string): string[] {
  return [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g)].map(
    ([, base64]) => `:${base64!.replaceAll(/\s/g, '')}:`,
  );
}

/** A caller that goes away in the middle of its body gets no answer. */
const hungUp = (): void => {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-edge-'));
  ca = await ensureSandboxCa({
    folder: join(folder, 'ca'),
    trustAnchors: join(folder, 'trust-anchors'),
    at: new Date(),
  });
  rootPem = readFileSync(ca.root.certificate, 'utf8');
  qwac = await mintQwac({
    request: { name: 'Edge Test', organizationIdentifier: 'PSDDK-DFSA-1', roles: ['PSP_AI'], days: 1 },
    issuer: await readIssuer(ca.issuingCa),
    at: new Date(),
  });
  upstream = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      seen = {
        url: incoming.url!,
        headers: incoming.headers,
        rawNames: incoming.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()),
        body,
      };
      const { status, headers, body: reply } = answer(incoming);
      response.writeHead(status, headers).end(reply);
    }, hungUp);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  edge = await edgeBefore((upstream.address() as AddressInfo).port);
});

beforeEach(() => {
  answer = () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
});

afterAll(async () => {
  await edge.close();
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Call {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string;
  cert?: string;
  key?: string;
}

async function call(url: string, { method = 'GET', headers = {}, body, cert, key }: Call = {}) {
  const agent = new Agent({ ca: rootPem, cert: cert ?? qwac.chainPem, key: key ?? qwac.keyPem });
  try {
    const outgoing = request(url, { method, headers, agent });
    outgoing.end(body);
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const received = await text(response);
    return { status: response.statusCode, headers: response.headers, body: received };
  } finally {
    agent.destroy();
  }
}

/** Writes bytes to the base address as they are, and reads until the edge ends the connection. */
async function exchange(raw: string): Promise<string> {
  const { port } = new URL(edge.urls.base);
  const socket = connect({ port: Number(port), host: 'localhost', servername: 'localhost', ca: rootPem });
  await once(socket, 'secureConnect');
  socket.write(raw);
  return text(socket);
}

describe('the edge forwards who is calling (RFC 9440)', () => {
  it('hands the whole presented chain over, in the order presented, members that issued nothing included', async () => {
    const presented = qwac.chainPem + readFileSync(ca.server.certificate, 'utf8') + rootPem;
    await call(`${edge.urls.base}/accounts`, { cert: presented });
    const [leaf, ...rest] = der(presented);
    expect(seen.headers['client-cert']).toBe(leaf);
    expect(seen.headers['client-cert-chain']).toBe(rest.join(', '));
  });

  it('hands the same chain over for every request of a connection', async () => {
    const agent = new Agent({ ca: rootPem, cert: qwac.chainPem, key: qwac.keyPem, keepAlive: true });
    const chains: unknown[] = [];
    for (let i = 0; i < 3; i += 1) {
      const outgoing = request(`${edge.urls.base}/accounts`, { agent });
      outgoing.end();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      await text(response);
      chains.push(seen.headers['client-cert-chain']);
    }
    agent.destroy();
    const [, issuing] = der(qwac.chainPem);
    expect(chains).toEqual([issuing, issuing, issuing]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'does not let a resumed session lose the chain: %s',
    async (version) => {
      const { port, hostname } = new URL(edge.urls.base);
      let session: Buffer | undefined;
      const chains: unknown[] = [];
      for (let i = 0; i < 2; i += 1) {
        const socket = connect({
          port: Number(port),
          host: hostname,
          servername: hostname,
          ca: rootPem,
          cert: qwac.chainPem,
          key: qwac.keyPem,
          maxVersion: version,
          minVersion: version,
          ...(session ? { session } : {}),
        });
        socket.on('session', (fresh: Buffer) => (session = fresh));
        await once(socket, 'secureConnect');
        socket.write('GET /accounts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
        await text(socket);
        chains.push(seen.headers['client-cert-chain']);
      }
      const [, issuing] = der(qwac.chainPem);
      expect(chains).toEqual([issuing, issuing]);
    },
  );

  it('strips what a client forges: certificate, edge secret and forwarding headers', async () => {
    await call(`${edge.urls.user}/approvals/1`, {
      headers: {
        'Client-Cert': ':Zm9yZ2Vk:',
        'client-cert-chain': ':Zm9yZ2Vk:',
        'X-Edge-Secret': 'guess',
        'X-Forwarded-For': '10.0.0.1',
        'X-Forwarded-Client-Cert': 'Hash=1',
        Forwarded: 'for=10.0.0.1',
      },
    });
    expect(seen.headers).toMatchObject({ 'x-edge-secret': EDGE_SECRET });
    expect(seen.rawNames.filter((name) => /client-cert|forwarded/.test(name))).toEqual([]);
  });

  it.each([
    ['authorization', ['Authorization: Bearer a', 'Authorization: Bearer b']],
    ['host', ['Host: elsewhere']],
  ])('hands on two headers %s as they came, for the service to refuse', async (name, lines) => {
    const head = ['GET /accounts HTTP/1.1', 'Host: localhost', 'Connection: close', ...lines];
    await exchange(`${head.join('\r\n')}\r\n\r\n`);
    expect(seen.rawNames.filter((each) => each === name)).toHaveLength(2);
  });

  it('replaces a forged certificate by the presented one, as a single field', async () => {
    await call(`${edge.urls.base}/accounts`, { headers: { 'Client-Cert': [':Zm9yZ2Vk:', ':Zm9yZ2Vk:'] } });
    expect(seen.rawNames.filter((name) => name === 'client-cert')).toHaveLength(1);
    expect(seen.headers['client-cert']).toBe(der(qwac.chainPem)[0]);
  });

  it('lets callers without certificate through to the service, which refuses them in JSON', async () => {
    answer = () => ({ status: 401, body: '{"errorCode":"CERTIFICATE_MISSING"}' });
    const { status } = await call(`${edge.urls.base}/accounts`, { cert: '', key: '' });
    expect(status).toBe(401);
    expect(seen.rawNames).not.toContain('client-cert');
  });
});

describe('the edge passes requests and answers on as they are', () => {
  it('keeps method, path, query, headers, body and status', async () => {
    answer = () => ({ status: 201, headers: { 'x-own': 'yes', 'content-type': 'text/plain' }, body: 'done' });
    const response = await call(`${edge.urls.base}/aisp-pisp/payments/drafts?a=%20b&a=c`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-language': 'da' },
      body: '{"a":1}',
    });
    expect(seen).toMatchObject({ url: '/aisp-pisp/payments/drafts?a=%20b&a=c', body: '{"a":1}' });
    expect(seen.headers).toMatchObject({ 'content-length': '7', 'x-language': 'da' });
    expect(response).toMatchObject({ status: 201, body: 'done', headers: { 'x-own': 'yes' } });
  });

  it('keeps the body of a GET, chunked as it came', async () => {
    await call(`${edge.urls.base}/funds-confirmation`, {
      headers: { 'transfer-encoding': 'chunked' },
      body: '{"accountId":"1"}',
    });
    expect(seen.body).toBe('{"accountId":"1"}');
  });

  it.each(['GET', 'DELETE', 'POST'])(
    'keeps the body of a %s one with its request, also when Connection names Content-Length',
    async (method) => {
      const requests: (string | undefined)[] = [];
      answer = ({ url }) => {
        requests.push(url);
        return { status: 200, body: '{}' };
      };
      const body = 'GET /accounts/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';
      await call(`${edge.urls.base}/accounts`, {
        method,
        headers: { connection: 'content-length, transfer-encoding', 'content-length': String(body.length) },
        body,
      });
      // The kept connection is the same: what was left on it would be read before this request.
      await call(`${edge.urls.base}/accounts/next`);
      expect(requests).toEqual(['/accounts', '/accounts/next']);
    },
  );

  it("echoes the client's X-Request-Id and makes one where it sent none", async () => {
    const own = await call(`${edge.urls.base}/accounts`, { headers: { 'X-Request-Id': 'mine-1' } });
    expect(seen.headers['x-request-id']).toBe('mine-1');
    expect(own.headers['x-request-id']).toBe('mine-1');
    const made = await call(`${edge.urls.base}/accounts`);
    expect(seen.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.headers['x-request-id']).toBe(seen.headers['x-request-id']);
  });
});

describe('the edge answers in JSON when a service does not', () => {
  const errorOf = (body: string) => JSON.parse(body) as Record<string, unknown>;

  it('404 ROUTE_UNKNOWN for a path that no service has', async () => {
    const { status, body, headers } = await call(`${edge.urls.base}/nowhere`, {
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

  it('404 for a path of another address, which it names', async () => {
    const { body } = await call(`${edge.urls.base}/tpp/1?x=1`);
    expect(errorOf(body).message).toBe('No route has this path here; it is answered at registration_url.');
  });

  it("in the caller's language and as problem+json where that is asked for, as the services do", async () => {
    const { headers, body } = await call(`${edge.urls.base}/nowhere`, {
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
      detail: 'Ingen rutt har denna sökväg.',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });

  it('503 UNAVAILABLE with Retry-After when the service is not reachable', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const lonely = await edgeBefore(port);
    const { status, body, headers } = await call(`${lonely.urls.registration}/tpp`, {
      method: 'POST',
      body: '{}',
    });
    await lonely.close();
    expect(status).toBe(503);
    expect(errorOf(body)).toMatchObject({ errorCode: 'UNAVAILABLE', requestId: headers['x-request-id'] });
    expect(headers['retry-after']).toBe('1');
  });

  it('502 UNAVAILABLE when the service hangs up without an answer', async () => {
    answer = (incoming) => {
      incoming.socket.destroy();
      return { status: 200 };
    };
    const { status, body } = await call(`${edge.urls.base}/accounts`, { method: 'POST', body: '{}' });
    expect(status).toBe(502);
    expect(errorOf(body)).toMatchObject({ errorCode: 'UNAVAILABLE' });
  });

  it('asks again when a kept connection turns out to be closed, as long as nothing was sent but the question', async () => {
    const used = new WeakSet<object>();
    let hangUps = 0;
    answer = (incoming) => {
      if (used.has(incoming.socket)) {
        hangUps += 1;
        incoming.socket.resetAndDestroy();
      }
      used.add(incoming.socket);
      return { status: 200, body: '{}' };
    };
    await call(`${edge.urls.base}/accounts`);
    expect(await call(`${edge.urls.base}/accounts`)).toMatchObject({ status: 200 });
    expect(hangUps).toBe(1);
  });

  it('504 UNAVAILABLE when the service is silent for too long', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const patient = await edgeBefore((silent.address() as AddressInfo).port, { upstreamTimeoutMs: 100 });
    const { status, body } = await call(`${patient.urls.base}/accounts`);
    await patient.close();
    silent.closeAllConnections();
    silent.close();
    expect(status).toBe(504);
    expect(errorOf(body)).toMatchObject({ errorCode: 'UNAVAILABLE' });
  });

  it('lets nobody wait for callers who never end their requests, however many they are', async () => {
    const { port } = new URL(edge.urls.base);
    const slow = Array.from({ length: 270 }, () => {
      const socket = connect({ port: Number(port), host: 'localhost', servername: 'localhost', ca: rootPem });
      socket.on('error', () => {});
      socket.write('POST /accounts HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
      return socket;
    });
    try {
      await Promise.all(slow.map((socket) => once(socket, 'secureConnect')));
      expect(await call(`${edge.urls.base}/accounts`)).toMatchObject({ status: 200 });
    } finally {
      for (const socket of slow) socket.destroy();
    }
  });

  it.each([
    ['400 for a request that is not HTTP', 'nonsense\r\n\r\n', 400],
    ['400 for a request without Host', 'GET /accounts HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['431 for headers without end', `GET /accounts HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
  ])('%s', async (_title, raw, status) => {
    const [head, body] = (await exchange(raw)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(errorOf(body!)).toMatchObject({ errorCode: 'FORMAT_ERROR' });
  });
});

describe('the edge as a TLS server', () => {
  it('asks for no client certificate at the user address', async () => {
    await call(`${edge.urls.user}/approvals/1`);
    expect(seen.rawNames).not.toContain('client-cert');
    await call(`${edge.urls.auth}/oauth2/token`);
    expect(seen.rawNames).toContain('client-cert');
  });

  it('says which address cannot have its port', async () => {
    const taken = Number(new URL(edge.urls.base).port);
    const second = edgeBefore(1, { ports: { ...NO_PORTS, auth: taken } });
    await expect(second).rejects.toMatchObject({ address: 'auth', port: taken });
    await expect(second).rejects.toBeInstanceOf(PortTaken);
  });
});
