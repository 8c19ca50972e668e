import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createGuardedAgent, type GuardedAgent, postForStatus, type StatusOrFault } from '../src/index.ts';

const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n';

let agent: GuardedAgent;
let server: Server;
let answer: (response: ServerResponse) => void;
let connections = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(response));
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

beforeEach(() => {
  agent = createGuardedAgent({ allowLoopback: true });
  connections = 0;
});

afterEach(() => agent.destroy());

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const post = (
  limits: { maxBytes?: number; timeLimit?: number } = {},
  through = agent,
): Promise<StatusOrFault> =>
  postForStatus(through, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    path: '/hook?x=1',
    headers: ['content-type', 'application/json'],
    body: Buffer.from('{}'),
    maxBytes: 1_000,
    excerptBytes: 10,
    timeLimit: 5_000,
    ...limits,
  });

describe('a POST of which only the status matters (§6)', () => {
  it('returns the beginning of a refusal in any number of parts, and nothing of a 2xx', async () => {
    const inParts = (status: number) => {
      answer = (response) => {
        response.writeHead(status).write('seven77');
        setImmediate(() => response.end('eight888'));
      };
      return post();
    };
    expect(await inParts(400)).toMatchObject({ excerpt: Buffer.from('seven77eig') });
    expect(await inParts(300)).toMatchObject({ excerpt: Buffer.from('seven77eig') });
    expect(await inParts(299)).toMatchObject({ excerpt: Buffer.alloc(0) });
  });

  it('returns status and Retry-After, and keeps the connection', async () => {
    answer = (response) => void response.writeHead(503, { 'retry-after': '7' }).end('x'.repeat(1_000));
    for (let i = 0; i < 3; i++) {
      expect(await post()).toEqual({ status: 503, retryAfter: '7', excerpt: Buffer.from('x'.repeat(10)) });
      // The connection is free once the answer has been dealt with.
      await turn();
    }
    expect(connections).toBe(1);
  });

  it('returns the status of a long answer, and closes the connection', async () => {
    answer = (response) => void response.writeHead(200).end('x'.repeat(1_000_000));
    for (let i = 0; i < 3; i++) {
      expect(await post()).toMatchObject({ status: 200, retryAfter: undefined });
      await turn();
    }
    expect(connections).toBe(3);
  });

  it('returns the status of an answer that breaks off or does not end in time', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy());
    };
    expect(await post()).toMatchObject({ status: 200, retryAfter: undefined });
    answer = (response) => void response.writeHead(200).write('x');
    expect(await post({ timeLimit: 1_000 })).toMatchObject({ status: 200, retryAfter: undefined });
  });

  it('ends in time without an answer, and at once without a connection', async () => {
    answer = () => {};
    expect(await post({ timeLimit: 100 })).toEqual({ fault: 'timeout' });
    answer = (response) => void response.destroy();
    expect(await post()).toEqual({ fault: 'reset' });
  });

  it('accepts twenty interim answers', async () => {
    answer = (response) => {
      response.socket!.write(INTERIM.repeat(20));
      response.writeHead(204).end();
    };
    expect(await post()).toMatchObject({ status: 204, retryAfter: undefined });
  });

  it('ends at once after one more interim answer', async () => {
    let closed: Promise<unknown> | undefined;
    answer = (response) => {
      closed = once(response.socket!, 'close');
      response.socket!.write(INTERIM.repeat(21));
    };
    expect(await post({ timeLimit: 60_000 })).toEqual({ fault: 'answer-too-long' });
    await closed;
  });

  it('makes no connection that the guard forbids', async () => {
    const guarded = createGuardedAgent({ allowLoopback: false });
    expect(await post({}, guarded)).toEqual({ fault: 'address' });
    expect(connections).toBe(0);
    await guarded.destroy();
  });
});
