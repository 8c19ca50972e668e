import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer as createHttp,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { startNameServer, type Zone } from '@kontoport/testing/name-server';
import { tlsFolder, type TlsFolder, trustBesides } from '@kontoport/testing/tls';
import {
  createGuardedAgent,
  type ForwardProxy,
  type GuardedAgentOptions,
  postForStatus,
  readRange,
} from '../src/index.ts';
import { exchange } from './exchange.ts';

/** The requests that the proxy received, and its answers: the given bytes, one after the other, and then tunnels. */
interface TestProxy {
  url: string;
  asked: { target: string; credentials: string | undefined }[];
  answers: string[];
  close(): Promise<void>;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** @param leadsTo the port at which tunnels end, whatever they were asked for */
async function startProxy(leadsTo: () => number, tls?: { cert: string; key: string }): Promise<TestProxy> {
  const open = new Set<Socket>();
  const server = tls ? createHttps(tls) : createHttp();
  server.on('connect', ({ url = '', headers }: IncomingMessage, socket: Socket) => {
    proxy.asked.push({ target: url, credentials: headers['proxy-authorization'] });
    socket.on('error', () => {});
    const answer = proxy.answers.shift();
    if (answer !== undefined) return void socket.end(answer);
    const far = connect(leadsTo(), '127.0.0.1');
    far.on('error', () => socket.destroy());
    far.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(far).pipe(socket);
    });
    socket.on('close', () => far.destroy());
  });
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('close', () => open.delete(socket)));
  });
  await listen(server);
  const proxy: TestProxy = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${portOf(server)}`,
    asked: [],
    answers: [],
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

const zone: Zone = {
  'hooks.tpp.example': { a: '192.168.7.7' },
  'metadata.tpp.example': { a: '169.254.169.254' },
};

let tls: TlsFolder;
let names: Awaited<ReturnType<typeof startNameServer>>;
let plain: Server;
let secured: Server;
let proxy: TestProxy;
let securedProxy: TestProxy;
let distrust: () => void;

beforeAll(async () => {
  tls = await tlsFolder();
  distrust = trustBesides(tls);
  const read = async (name: string, server: string[]) => {
    const { cert, key } = await tls.issue(name, { server });
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    request.on('end', () => response.writeHead(204).end());
  };
  plain = await listen(createHttp(answer));
  secured = await listen(createHttps(await read('hooks', ['hooks.tpp.example']), answer));
  names = await startNameServer(zone);
  proxy = await startProxy(() => portOf(plain));
  securedProxy = await startProxy(() => portOf(secured), await read('proxy', ['127.0.0.1']));
});

beforeEach(() => {
  for (const one of [proxy, securedProxy]) {
    one.asked.length = 0;
    one.answers = [];
  }
});

afterAll(async () => {
  distrust();
  await Promise.all([proxy, securedProxy].map((one) => one.close()));
  for (const server of [plain, secured]) {
    (server as HttpServer).closeAllConnections();
    server.close();
  }
  names.close();
  tls.remove();
});

const allow = ['192.168.7.0/24', 'fd00::/8'].map(readRange);

/** The outcome of POSTs to these origins, one after the other over one agent. */
async function post(
  origins: string | readonly string[],
  through: Partial<ForwardProxy> = {},
  options: Partial<GuardedAgentOptions> = {},
): Promise<unknown[]> {
  const agent = createGuardedAgent({
    allowLoopback: false,
    allow,
    names: { nameServers: [names.address], limitMs: 60_000 },
    proxy: { url: proxy.url, ...through },
    ...options,
  });
  const outcomes: unknown[] = [];
  for (const origin of [origins].flat()) {
    const result = await postForStatus(agent, {
      origin,
      path: '/hook',
      headers: ['content-type', 'application/json'],
      body: Buffer.from('{}'),
      maxBytes: 1_000,
      excerptBytes: 10,
      timeLimit: 60_000,
    });
    outcomes.push('fault' in result ? result.fault : result.status);
    // The connection is free once the answer has been dealt with.
    await turn();
  }
  await agent.destroy();
  return outcomes;
}

describe('callbacks through a forward proxy (§6)', () => {
  it('are tunnels to the checked address', async () => {
    expect(
      await post(['http://hooks.tpp.example:8080', 'http://192.168.7.9', 'http://[fd00::7]:81']),
    ).toEqual([204, 204, 204]);
    expect(proxy.asked).toEqual([
      { target: '192.168.7.7:8080', credentials: undefined },
      { target: '192.168.7.9:80', credentials: undefined },
      { target: '[fd00::7]:81', credentials: undefined },
    ]);
  });

  it('use TLS with the receiver, verified by its name, inside TLS with the proxy', async () => {
    const through = { url: securedProxy.url };
    expect(await post(['https://hooks.tpp.example', 'https://hooks.tpp.example'], through)).toEqual([
      204, 204,
    ]);
    // The second takes the tunnel that is there.
    expect(securedProxy.asked.map(({ target }) => target)).toEqual(['192.168.7.7:443']);
    expect(await post('https://192.168.7.7:8443', through)).toEqual(['certificate']);
    expect(securedProxy.asked.at(-1)!.target).toBe('192.168.7.7:8443');
  });

  it('open no tunnel that the guard forbids: private, loopback and closed addresses and their names', async () => {
    const forbidden = [
      'http://metadata.tpp.example',
      'http://192.168.8.1',
      'http://127.0.0.1:9',
      'http://[::1]:9',
      'http://localhost:9',
    ];
    expect(await post(forbidden)).toEqual(forbidden.map(() => 'address'));
    expect(await post('http://hooks.tpp.example', {}, { deny: [readRange('192.168.7.0/29')] })).toEqual([
      'address',
    ]);
    expect(proxy.asked).toEqual([]);
  });

  it('send the current credentials, to the proxy alone', async () => {
    let password = 'one';
    const credentials = () => ({ username: 'kontoport', password });
    const seen: unknown[] = [];
    const listener = (request: IncomingMessage): void =>
      void seen.push(request.headers['proxy-authorization']);
    plain.on('request', listener);
    await post('http://192.168.7.1', { credentials });
    password = 'two';
    await post('http://192.168.7.2', { credentials });
    plain.off('request', listener);
    expect(seen).toEqual([undefined, undefined]);
    expect(proxy.asked.map((ask) => Buffer.from(ask.credentials!.slice(6), 'base64').toString())).toEqual([
      'kontoport:one',
      'kontoport:two',
    ]);
  });

  it.each([
    ['address', 'HTTP/1.1 403 Forbidden\r\n\r\n', []],
    ['proxy', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', []],
    [
      'proxy',
      'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
      ['the proxy does not take the credentials'],
    ],
    ['proxy', 'HTTP/1.1 301 Moved\r\nlocation: http://192.168.7.7/\r\n\r\n', []],
    ['proxy', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n', []],
    [
      'proxy',
      `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      [expect.stringContaining('HPE_HEADER_OVERFLOW')],
    ],
    ['proxy', 'SSH-2.0-none\r\n', [expect.stringContaining('HPE_')]],
    ['proxy', '', [expect.stringContaining('ECONNRESET')]],
  ])('fail with %s when the proxy answers %j', async (reason, answer, reported) => {
    proxy.answers = [answer];
    const faults: string[] = [];
    expect(await post('http://hooks.tpp.example', { report: (fault) => faults.push(fault) })).toEqual([
      reason,
    ]);
    expect(faults).toEqual(reported);
  });

  it('time out when the proxy is silent', async () => {
    const silent = await listen(createServer((socket) => socket.on('error', () => {})));
    const url = `http://127.0.0.1:${portOf(silent)}`;
    expect(await post('http://hooks.tpp.example', { url }, { connectTimeout: 100 })).toEqual(['timeout']);
    silent.close();
  });

  it('end with the agent during a CONNECT, without a report of the proxy', async () => {
    const silent = await listen(createServer((socket) => socket.on('error', () => {}).resume()));
    const faults: string[] = [];
    const agent = createGuardedAgent({
      allowLoopback: true,
      proxy: { url: `http://127.0.0.1:${portOf(silent)}`, report: (fault) => faults.push(fault) },
      connectTimeout: 3_600_000,
    });
    const under = exchange(agent, 'http://127.0.0.1:9');
    const [asking] = (await once(silent, 'connection')) as [Socket];
    await agent.destroy();
    expect(await under).toEqual({ answer: undefined, fault: expect.any(Error) });
    await once(asking, 'close');
    expect(faults).toEqual([]);
    silent.close();
  });

  it('report a failing proxy once, and again after a success', async () => {
    const away = await listen(createServer((socket) => socket.destroy()));
    const faults: string[] = [];
    const report = (fault: string): void => void faults.push(fault);
    const url = `http://127.0.0.1:${portOf(away)}`;
    expect(await post(['http://192.168.7.1', 'http://192.168.7.2'], { url, report })).toEqual([
      'proxy',
      'proxy',
    ]);
    expect(faults).toEqual(['the proxy cannot be used (ECONNRESET)']);
    away.close();
    faults.length = 0;
    proxy.answers = ['407 A', '407 B', '502 C', '407 D'].map((status) => `HTTP/1.1 ${status}\r\n\r\n`);
    await post(
      [1, 2, 3, 4].map((i) => `http://192.168.7.${i}`),
      { report },
    );
    expect(faults).toHaveLength(2);
  });

  it("verify the proxy's certificate", async () => {
    const url = securedProxy.url.replace('127.0.0.1', 'localhost');
    expect(await post('https://hooks.tpp.example', { url })).toEqual(['proxy']);
    expect(securedProxy.asked).toEqual([]);
  });
});
