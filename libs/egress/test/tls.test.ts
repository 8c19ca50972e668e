import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import module, { createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import { describeWith } from '@kontoport/testing/describe-with';
import { type TlsFiles, tlsFolder, type TlsFolder, trustBesides } from '@kontoport/testing/tls';
import { createGuardedAgent, type GuardedAgent } from '../src/index.ts';
import { exchange } from './exchange.ts';

const ANSWER = 'HTTP/1.1 204 X\r\n\r\n';
const LOST = { answer: undefined, fault: expect.any(Error) };

let agent: GuardedAgent;
let tls: TlsFolder;
let files: TlsFiles;
let distrust: () => void;

beforeAll(async () => {
  tls = await tlsFolder();
  distrust = trustBesides(tls);
  files = await tls.issue('receiver', { server: ['localhost'] });
});

beforeEach(() => {
  agent = createGuardedAgent({ allowLoopback: true });
});

afterEach(async () => {
  await agent.destroy();
});

afterAll(() => {
  distrust();
  tls.remove();
});

describe('handshakes with a receiver (§6)', () => {
  /** A receiver that renegotiates each connection `more` times before it answers. */
  async function listen(more: number): Promise<Server> {
    const { cert, key } = files;
    const server = createServer({
      cert: readFileSync(cert),
      key: readFileSync(key),
      maxVersion: 'TLSv1.2',
    });
    server.on('secureConnection', (socket) => {
      const renegotiate = (left: number): unknown =>
        left === 0
          ? socket.write(ANSWER)
          : socket.renegotiate({}, (error) => error ?? setImmediate(renegotiate, left - 1));
      socket.on('error', () => {}).once('data', () => renegotiate(more));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  // A receiver of Node allows no more than three itself.
  const limits: { CLIENT_RENEG_LIMIT: number } = module;
  const { CLIENT_RENEG_LIMIT } = limits;

  beforeEach(() => {
    limits.CLIENT_RENEG_LIMIT = Infinity;
  });

  afterEach(() => {
    limits.CLIENT_RENEG_LIMIT = CLIENT_RENEG_LIMIT;
  });

  it.each([
    [1, { answer: { status: 204 } }],
    [1_000, LOST],
  ])('may be some for one connection, and are not without end: %d more', async (more, outcome) => {
    const server = await listen(more);
    const { port } = server.address() as AddressInfo;
    expect(await exchange(agent, `https://localhost:${port}`)).toMatchObject(outcome);
    server.close();
  });
});

const NEEDED = [
  ['openssl', 'version'],
  ['stdbuf', '--version'],
] as const;
const missing = await Promise.all(NEEDED.map(([program, word]) => promisify(execFile)(program, [word]))).then(
  () => undefined,
  () => 'needs the programs openssl and stdbuf: apt install openssl coreutils',
);

describeWith('what TLS may bring beside an answer (§6)', { missing }, () => {
  let server: ChildProcess | undefined;

  afterEach(() => server?.kill());

  /** A receiver that sends `tickets` session tickets, renews its keys `renewals` times, and answers. @returns its origin */
  async function listen({ tickets = 0, renewals = 0 }): Promise<string> {
    const { cert, key } = files;
    const words = `s_server -accept 127.0.0.1:0 -tls1_3 -cert ${cert} -key ${key} -num_tickets ${tickets}`;
    // Line-buffered: otherwise openssl would report its completed commands only when it ends.
    const { stdin, stdout } = (server = spawn('stdbuf', ['-oL', 'openssl', ...words.split(' ')], {
      stdio: ['pipe', 'pipe', 'ignore'],
    }));
    stdin!.on('error', () => {});
    let said = '';
    let left = renewals;
    return new Promise((resolve) => {
      stdout!.setEncoding('latin1').on('data', (text: string) => {
        said += text;
        const port = /^ACCEPT .*:(\d+)$/m.exec(said)?.[1];
        if (port !== undefined) resolve(`https://localhost:${port}`);
        // openssl processes one command at a time, and reports each completed one.
        if (text.includes('{}') || text.includes('SSL_do_handshake'))
          stdin!.write(left-- > 0 ? 'k\n' : ANSWER);
      });
    });
  }

  it.each([
    ['tickets with which it could be resumed', { tickets: 90 }],
    ['new keys', { renewals: 40 }],
  ])('may be some %s', async (_, brought) => {
    expect(await exchange(agent, await listen(brought))).toMatchObject({ answer: { status: 204 } });
  });

  it.each([
    ['tickets with which it could be resumed', { tickets: 150 }],
    ['new keys', { renewals: 100_000_000 }],
  ])('ends the connection when there is no end of %s', async (_, brought) => {
    expect(await exchange(agent, await listen(brought))).toEqual(LOST);
  });
});
