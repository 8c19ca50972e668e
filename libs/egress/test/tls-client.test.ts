import { constants } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createSecureContext, createServer, type Server, type TlsOptions } from 'node:tls';
import { jest } from '@jest/globals';
import { type TlsFiles, tlsFolder, type TlsFolder } from '@kontoport/testing/tls';
import { TlsClient } from '../src/tls-client.ts';

let tls: TlsFolder;
let files: TlsFiles;
let client: TlsClient;
const servers: Server[] = [];
/** Milliseconds that the clock is ahead. */
let passed: number;

beforeAll(async () => {
  tls = await tlsFolder();
  files = await tls.issue('peer', { server: ['localhost', '*.peer.localhost'] });
});

afterAll(() => tls.remove());

beforeEach(() => {
  const real = performance.now.bind(performance);
  passed = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => real() + passed);
  client = new TlsClient(createSecureContext({ ca: readFileSync(tls.ca) }));
});

afterEach(() => {
  jest.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

interface Peer extends TlsOptions {
  /** Over each connection, before it answers. */
  renegotiates?: boolean;
}

/** What a peer saw of a connection. */
interface Seen {
  isResumed: boolean;
  name: string | false;
  protocol: string | false | null;
}

/** A peer that answers over each connection; its port, and what it saw. */
async function listen({ renegotiates = false, ...options }: Peer = {}) {
  const seen: Seen[] = [];
  const server = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key), ...options });
  servers.push(server);
  server.on('secureConnection', (socket) => {
    const { servername: name, alpnProtocol: protocol } = socket;
    seen.push({ isResumed: socket.isSessionReused(), name: name as string | false, protocol });
    socket
      .on('error', () => {})
      .once('data', () => {
        if (renegotiates) socket.renegotiate({}, (error) => error ?? socket.write('x'));
        else socket.write('x');
      });
  });
  if (options.maxVersion === 'TLSv1.2') {
    // It renews no ticket when it renegotiates.
    const stored = new Map<string, Buffer>();
    server.on('newSession', (id: Buffer, data: Buffer, done: () => void) => {
      stored.set(id.toString('hex'), data);
      done();
    });
    server.on('resumeSession', (id: Buffer, done: (error: null, data: Buffer | null) => void) =>
      done(null, stored.get(id.toString('hex')) ?? null),
    );
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, seen };
}

/** Connects, and hears what the peer has to say. @throws what keeps it from that */
async function connect({ port }: { port: number }, hostname = 'localhost'): Promise<void> {
  const socket = client.connect({ hostname, port }, { host: '127.0.0.1', port });
  try {
    await once(socket, 'secureConnect');
    socket.write('x');
    await once(socket, 'data');
  } finally {
    socket.on('error', () => {}).destroy();
  }
}

describe('a session', () => {
  it.each<[string, Peer]>([
    ['of TLS 1.3', {}],
    ['of TLS 1.2', { maxVersion: 'TLSv1.2' }],
    [
      'that is renegotiated over each connection',
      {
        maxVersion: 'TLSv1.2',
        secureOptions: constants.SSL_OP_NO_SESSION_RESUMPTION_ON_RENEGOTIATION,
        renegotiates: true,
      },
    ],
  ])('%s is resumed until the peer has proven itself an hour ago', async (_, options) => {
    const peer = await listen(options);
    for (const minute of [0, 30, 59, 61, 119, 122]) {
      passed = minute * 60_000;
      await connect(peer);
    }
    expect(peer.seen.map(({ isResumed }) => isResumed)).toEqual([false, true, true, false, true, false]);
  });

  it('is kept of a thousand peers, those that were connected last', async () => {
    const peer = await listen();
    const nameOf = (at: number): string => `a${at}.peer.localhost`;
    for (let at = 0; at < 1_000; at += 1) await connect(peer, nameOf(at));
    const isResumed = async (at: number): Promise<boolean> => {
      await connect(peer, nameOf(at));
      return peer.seen.at(-1)!.isResumed;
    };
    // Without the hour nothing of it would be new, and it would stay the oldest.
    passed = 3_600_001;
    expect(await isResumed(0)).toBe(false);
    await connect(peer, nameOf(1_000));
    expect(await isResumed(0)).toBe(true);
    passed = 0;
    expect([await isResumed(2), await isResumed(1)]).toEqual([true, false]);
  }, 60_000);
});

describe('a peer', () => {
  it('is told which name is meant, and HTTP/1.1 alone', async () => {
    const peer = await listen({ ALPNProtocols: ['h2', 'http/1.1'] });
    await connect(peer, 'b.peer.localhost');
    expect(peer.seen).toEqual([{ isResumed: false, name: 'b.peer.localhost', protocol: 'http/1.1' }]);
  });
});
