import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { until } from '@kontoport/embedded/wait';
import { mintQwac, type Qwac, readIssuer } from '@kontoport/issuing';
import { describeWith } from '@kontoport/testing/describe-with';
import { canSeeListeners, listenersOf } from '@kontoport/testing/listeners';
import { readRaw } from '@kontoport/testing/raw-http';
import type { StackFile } from '../src/stack-file.ts';
import { LIMIT_MS, type StartedStack, useStack } from './started-stack.ts';

const { start } = useStack('file');
let started: StartedStack;
let stack: StackFile;
let ca: string;
let qwac: Qwac;
/** Of a registered client. */
let bearer: string;

beforeAll(async () => {
  started = start('--no-tour');
  stack = await started.ready();
  ca = readFileSync(stack.serverCa, 'utf8');
  qwac = await mintQwac({
    request: { name: 'TPP', organizationIdentifier: 'PSDDK-DFSA-7', roles: ['PSP_AI', 'PSP_PI'], days: 1 },
    issuer: await readIssuer(stack.issuingCa),
    at: new Date(),
  });
  const client = JSON.stringify({
    name: 'TPP',
    roles: ['PSP_AI', 'PSP_PI'],
    redirectUris: ['https://tpp.example/callback'],
  });
  const { json } = await exchange(stack.registrationUrl, 'POST /tpp', {
    lines: ['Content-Type: application/json'],
    body: client,
  });
  const basic = Buffer.from(`${String(json.clientId)}:${String(json.clientSecret)}`).toString('base64');
  const granted = await exchange(stack.authUrl, 'POST /oauth2/token', {
    lines: ['Content-Type: application/x-www-form-urlencoded', `Authorization: Basic ${basic}`],
    body: 'grant_type=client_credentials',
  });
  bearer = `Authorization: Bearer ${String(granted.json.access_token)}`;
  // The first use prepares the TPP's accounts.
  await until(
    async () => (await exchange(stack.baseUrl, 'GET /accounts', { lines: [bearer] })).status === 200,
    {
      what: 'the accounts',
    },
  );
}, LIMIT_MS);

const portOf = (url: string): number => Number(new URL(url).port);

/** A connection to an address, with the TPP's certificate. */
async function open(url: string, host = '127.0.0.1'): Promise<TLSSocket> {
  const { chainPem: cert, keyPem: key } = qwac;
  const socket = connect({ port: portOf(url), host, servername: 'localhost', ca, cert, key });
  await once(socket, 'secureConnect');
  return socket.on('error', () => {});
}

/** One request, byte for byte, on a connection of its own; the host is named unless the lines say otherwise. */
async function exchange(
  url: string,
  line: string,
  more: { lines?: readonly string[]; body?: string; host?: string | undefined } = {},
) {
  const { lines = [], body = '', host = 'localhost' } = more;
  const length = line.startsWith('GET') ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [
    `${line} HTTP/1.1`,
    ...(host ? [`Host: ${host}`] : []),
    'Connection: close',
    ...length,
    ...lines,
  ];
  const socket = await open(url);
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return readRaw(await text(socket));
}

describe('a body that is too large (§7)', () => {
  /** A POST whose caller sends on until it is answered. */
  async function post(
    headers: Record<string, string>,
  ): Promise<{ status: number | undefined; body: string }> {
    const agent = new Agent({ ca, cert: qwac.chainPem, key: qwac.keyPem });
    const outgoing = request(`${stack.registrationUrl}/tpp`, { method: 'POST', headers, agent });
    let answered = false;
    const response = once(outgoing, 'response') as Promise<[import('node:http').IncomingMessage]>;
    void response.then(() => (answered = true));
    outgoing.on('error', () => {});
    const chunk = Buffer.alloc(64 * 1024, 0x20);
    const most = Number(headers['content-length'] ?? Infinity);
    for (let sent = 0; !answered && sent < most; sent += chunk.length)
      if (!outgoing.write(chunk.subarray(0, most - sent)))
        await Promise.race([once(outgoing, 'drain'), response]);
    const [incoming] = await response;
    const answer = { status: incoming.statusCode, body: await text(incoming) };
    agent.destroy();
    return answer;
  }

  it.each([
    ['1 MB', { 'content-length': String(1 << 20) }],
    ['3 MB', { 'content-length': String(3 << 20) }],
    ['an announced GB', { 'content-length': String(1 << 30) }],
    ['no announced length and no end', { 'transfer-encoding': 'chunked' }],
  ])('is 413 for %s, each of 20 times', async (_what, length) => {
    for (let i = 0; i < 20; i += 1)
      expect(await post({ 'content-type': 'application/json', ...length })).toEqual({
        status: 413,
        body: expect.stringContaining('PAYLOAD_TOO_LARGE') as string,
      });
  });
});

describe('a request that is none, or cannot be served (§7)', () => {
  it.each<[string, number, string, () => Promise<{ status: number; json: object }>]>([
    ['CONNECT', 405, 'METHOD_NOT_ALLOWED', () => exchange(stack.baseUrl, 'CONNECT bank.test:443')],
    [
      'an unknown expectation',
      417,
      'FORMAT_ERROR',
      () => exchange(stack.registrationUrl, 'POST /tpp', { lines: ['Expect: a-miracle'] }),
    ],
    ['no Host', 400, 'FORMAT_ERROR', () => exchange(stack.baseUrl, 'GET /accounts', { host: '' })],
    [
      'two Hosts',
      400,
      'FORMAT_ERROR',
      () => exchange(stack.baseUrl, 'GET /accounts', { lines: ['Host: other'] }),
    ],
    [
      'two Authorizations',
      400,
      'FORMAT_ERROR',
      () => exchange(stack.baseUrl, 'GET /accounts', { lines: [bearer, bearer] }),
    ],
    ['an unknown path', 404, 'ROUTE_UNKNOWN', () => exchange(stack.baseUrl, 'GET /nothing')],
  ])('%s is %i %s, in JSON', async (_what, status, errorCode, ask) => {
    expect(await ask()).toMatchObject({
      status,
      json: { errorCode, requestId: expect.any(String) as string },
    });
  });

  it('does not fail because Connection names Host', async () => {
    const { status } = await exchange(stack.baseUrl, 'GET /accounts', {
      lines: [bearer, 'Connection: host'],
    });
    expect(status).toBe(200);
  });

  it.each<[string, number, () => Promise<{ status: number; json: object }>]>([
    ['nonsense', 400, async () => exchangeRaw('nonsense\r\n\r\n')],
    [
      'a header without end',
      431,
      async () => exchangeRaw(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
    ],
    ['a method that it does not have', 405, () => exchange(stack.authUrl, 'PUT /oauth2/token')],
    ['CONNECT', 405, () => exchange(stack.authUrl, 'CONNECT bank.test:443')],
  ])('the token endpoint answers %s with %i as RFC 6749 has it', async (_what, status, ask) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String) as string,
    });
  });

  async function exchangeRaw(bytes: string) {
    const socket = await open(stack.authUrl);
    socket.write(bytes);
    return readRaw(await text(socket));
  }

  it('HTTP without TLS is told so', async () => {
    const outgoing = plainRequest({
      port: portOf(stack.baseUrl),
      host: '127.0.0.1',
      path: '/accounts',
    }).end();
    const [answer] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage];
    expect([answer.statusCode, await text(answer)]).toEqual([400, expect.stringContaining('https://')]);
  });

  it.each(['.', '..'])('no webhook subscription is named %s', async (id) => {
    const { status } = await exchange(stack.baseUrl, `POST /v1/webhook-subscriptions/${id}`, {
      lines: [bearer, 'Content-Type: application/json'],
      body: JSON.stringify({ eventTypes: ['Posting.CreatedV1'], callbackUrl: 'https://tpp.example/hook' }),
    });
    expect([400, 404]).toContain(status);
  });

  it('adds no id to a request that has none, beyond the one of its answer', async () => {
    const { head } = await exchange(stack.baseUrl, 'GET /accounts', { lines: [bearer] });
    expect(head.match(/^x-request-id: /gim)).toHaveLength(1);
  });
});

const resident = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
const unseen = canSeeListeners() ? undefined : 'the memory of other processes is seen on Linux only';

describeWith('callers who pipeline and do not read', { missing: unseen }, () => {
  it('cost the edge no memory worth the name', async () => {
    const edge = listenersOf(started.child.pid!).find(({ port }) => port === portOf(stack.baseUrl))!;
    const before = resident(edge.pid);
    const sockets = await Promise.all(Array.from({ length: 20 }, () => open(stack.baseUrl)));
    for (const socket of sockets)
      socket.pause().write('GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(60));
    // Whoever reads is answered meanwhile.
    for (let i = 0; i < 30; i += 1) {
      expect(await exchange(stack.baseUrl, 'GET /accounts', { lines: [bearer] })).toMatchObject({
        status: 200,
      });
      expect(resident(edge.pid) - before).toBeLessThan(100 * 1024);
    }
    for (const socket of sockets) socket.destroy();
  });
});

const noIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
)
  ? undefined
  : 'this machine has no IPv6';

describeWith('localhost', { missing: noIpv6 }, () => {
  it.each(['127.0.0.1', '::1'])('is answered at %s', async (host) => {
    const socket = await open(stack.userUrl, host);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(readRaw(await text(socket)).status).toBe(200);
  });
});

describe('Ctrl-C', () => {
  it(
    'ends everything, whatever is open',
    async () => {
      const silent = [stack.baseUrl, stack.userUrl].map((url) =>
        connectPlainly(portOf(url), '127.0.0.1').on('error', () => {}),
      );
      await Promise.all(silent.map((socket) => once(socket, 'connect')));
      silent[0]!.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
      const idle = await open(stack.authUrl);
      started.child.kill('SIGINT');
      expect(await started.ended).toBe(0);
      for (const socket of [...silent, idle]) socket.destroy();
    },
    LIMIT_MS,
  );
});
