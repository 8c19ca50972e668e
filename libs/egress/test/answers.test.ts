import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createGuardedAgent, type GuardedAgent } from '../src/index.ts';
import { exchange } from './exchange.ts';

const ANSWERS = 300;
const SEED = 118;

/** Chance that comes again: whole numbers below `most` (mulberry32). */
function chance(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  };
}

interface MadeAnswer {
  status: number;
  body: string;
  /** Its bytes, in the parts in which they are sent. */
  parts: string[];
  /** The connection ends behind it. */
  ends: boolean;
}

/** A well-formed answer. */
function makeAnswer(below: (most: number) => number): MadeAnswer {
  const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
  const text = (most: number): string =>
    Array.from({ length: below(most) }, () => String.fromCharCode(below(256))).join('');
  const word = (): string => pick(['a', 'Date', 'x-y', 'Server', 'ETag', "!#$%&'*+-.^_`|~"]);
  const header = (): string =>
    `${word()}:${pick(['', ' ', '\t '])}${pick(['', 'b', 'a "b", c', '\xe6\t;'])}\r\n`;
  const headers = (): string => Array.from({ length: below(5) }, header).join('');
  const interim = `HTTP/1.1 103 X\r\n${headers()}\r\n`.repeat(below(4) === 0 ? below(20) : 0);
  const status = pick([200, 200, 201, 204, 299, 301, 304, 400, 410, 503, 999]);
  const framing = status === 204 || status === 304 ? 'none' : pick(['length', 'chunks', 'connection']);
  const body = framing === 'none' ? '' : text(600);
  let all = `${interim}HTTP/1.1 ${status}${pick(['', ' ', ' OK', ' \xe6'])}\r\n${headers()}`;
  const ends = framing === 'connection' || below(4) === 0;
  if (framing === 'length') all += `${pick(['Content-Length', 'content-length'])}: ${body.length}\r\n`;
  if (framing === 'chunks') all += `Transfer-Encoding: ${pick(['chunked', 'Chunked'])}\r\n`;
  if (ends && framing !== 'connection') all += 'Connection: close\r\n';
  all += `${headers()}\r\n`;
  if (framing !== 'chunks') all += body;
  else {
    for (let at = 0; at < body.length;) {
      const chunk = body.slice(at, (at += 1 + below(100)));
      all += `${chunk.length.toString(16)}${pick(['', '', ';a=b', ';a="\xe6"'])}\r\n${chunk}\r\n`;
    }
    all += `0\r\n${below(3) === 0 ? 'x-trailer: y\r\n' : ''}\r\n`;
  }
  const parts: string[] = [];
  for (let at = 0; at < all.length;) parts.push(all.slice(at, (at += 1 + below(pick([2, 50, 5_000])))));
  return { status, body, parts, ends };
}

let agent: GuardedAgent;
let server: Server;
let next: MadeAnswer;
let connections = 0;

beforeAll(async () => {
  agent = createGuardedAgent({ allowLoopback: true, answerBytes: 64 * 1024 });
  server = createServer((socket) => {
    connections += 1;
    socket.setNoDelay(true).on('error', () => {});
    socket.on('data', (chunk) => {
      if (!chunk.includes('\r\n\r\n{}')) return;
      const { parts, ends } = next;
      void (async () => {
        for (const part of parts) {
          socket.write(part, 'latin1');
          await turn();
        }
        if (ends) socket.end();
      })();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(async () => {
  await agent.destroy();
  server.close();
});

/** The same by Node's own client. */
async function byNode(port: number, over: Agent): Promise<{ status: number | undefined; body: string }> {
  const asked = request({ host: '127.0.0.1', port, method: 'POST', agent: over });
  asked.end('{}');
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let body = '';
  answer.setEncoding('latin1').on('data', (text: string) => (body += text));
  await once(answer, 'end');
  return { status: answer.statusCode, body };
}

describe('answers that are well formed (RFC 9112)', () => {
  it("are read as Node's own client reads them, in whatever parts, and as often over kept connections", async () => {
    const { port } = server.address() as AddressInfo;
    const below = chance(SEED);
    const over = new Agent({ keepAlive: true });
    const made: [ours: number, nodes: number] = [0, 0];
    for (let number = 0; number < ANSWERS; number += 1) {
      next = makeAnswer(below);
      const { status, body } = next;
      const before = connections;
      const { answer, fault } = await exchange(agent, `http://127.0.0.1:${port}`);
      expect({ number, fault, status: answer?.status, body: answer?.body.toString('latin1') }).toEqual({
        number,
        fault: undefined,
        status,
        body,
      });
      made[0] += connections - before;
      expect(await byNode(port, over)).toEqual({ status, body });
      made[1] += connections - before;
    }
    over.destroy();
    expect(made[0]).toBeLessThan(ANSWERS);
    expect(made[1] - made[0]).toBe(made[0]);
  });
});
