import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  createLogger,
  type InternalTls,
  internalTlsConfig,
  openInternalTls,
  type Peer,
  readConfig,
} from '@kontoport/runtime';
import { tlsFolder, type TlsFolder } from '@kontoport/testing/tls';
import { z } from 'zod';
import { route, serve } from './served.ts';

const CHARACTERS = 80_000;

/** So many characters of JSON, more bytes for some letters. */
const longOf = (letter: string): string => `"${letter.repeat(CHARACTERS - 2)}"`;

const routes = [
  route({
    method: 'GET',
    path: '/long/:letter',
    security: { kind: 'public' },
    params: z.object({ letter: z.string() }),
    handler: async ({ params: { letter } }) => ({ status: 200, jsonText: longOf(letter) }),
  }),
];

let folder: TlsFolder;
const inside = new Map<Peer, InternalTls>();

beforeAll(async () => {
  folder = await tlsFolder();
  const logger = createLogger({ service: 'test', level: 'silent' });
  for (const name of ['edge', 'payments'] as const) {
    const { cert, key } = await folder.issue(name, { peer: [name, '127.0.0.1'] });
    const env = { INTERNAL_TLS_CERT_FILE: cert, INTERNAL_TLS_KEY_FILE: key, INTERNAL_TLS_CA_FILE: folder.ca };
    inside.set(name, openInternalTls({ name, config: readConfig(internalTlsConfig, env), logger })!);
  }
});
afterAll(() => folder.remove());

describe.each([false, true])('a long answer, over internal TLS: %p', (isTls) => {
  let served: Awaited<ReturnType<typeof serve>>;
  beforeEach(async () => {
    served = await serve({ routes, tls: isTls ? inside.get('payments') : undefined });
  });
  afterEach(() => served.close());

  const open = (): Socket => {
    const to = { host: '127.0.0.1', port: served.port };
    return isTls ? connectTls({ ...to, secureContext: inside.get('edge')!.context }) : connect(to);
  };

  /** Asks for these, one behind the other. */
  const ask = (socket: Socket, letters: readonly string[], method = 'GET'): void => {
    const requests = letters.map(
      (letter) => `${method} /long/${encodeURIComponent(letter)} HTTP/1.1\r\nHost: x\r\n`,
    );
    socket.write(`${requests.join('\r\n')}Connection: close\r\n\r\n`);
  };

  /** All that comes until the end: of each answer its announced length, and its body. */
  const answersOf = async (socket: Socket): Promise<[number, string][]> => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.resume();
    await once(socket, 'end');
    socket.destroy();
    return Buffer.concat(chunks)
      .toString()
      .split('HTTP/1.1 200 OK\r\n')
      .slice(1)
      .map((answer) => {
        const [head, body] = answer.split('\r\n\r\n') as [string, string];
        return [Number(/^content-length: (\d+)/m.exec(head)?.[1]), body];
      });
  };
  const expected = (letters: readonly string[]): [number, string][] =>
    letters.map((letter) => [Buffer.byteLength(longOf(letter)), longOf(letter)]);
  // A difference in megabytes of text is no message.
  const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

  it('has every byte of its own, whoever else is answered before it has left, or goes away without it', async () => {
    const [slow, gone] = [open(), open()];
    for (const socket of [slow, gone]) socket.pause();
    const asked = Array.from({ length: 150 }, (_, at) => 'aåb€c'[at % 5]!);
    ask(slow, asked);
    ask(gone, asked);
    for (let at = 0; at < 40; at++) {
      if (at === 20) gone.destroy();
      const others = 'xøyz'.split('');
      const socket = open();
      ask(socket, others);
      expect(same(await answersOf(socket), expected(others))).toBe(true);
    }
    expect(same(await answersOf(slow), expected(asked))).toBe(true);
  });

  it('has no body for HEAD', async () => {
    const socket = open();
    ask(socket, ['a'], 'HEAD');
    expect(await answersOf(socket)).toEqual([[CHARACTERS, '']]);
  });
});
