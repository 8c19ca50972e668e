import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import { exchange } from '@kontoport/testing/raw-http';
import { z } from 'zod';
import { route, serve } from './served.ts';

/** More than the buffers of a connection hold. */
const LONG = 32 * 1024 * 1024;
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
/** The `Connection` header of each answer. */
const connectionsIn = (answers: string): string[] => answers.match(/(?<=\r\nConnection: )[\w-]+/g) ?? [];

let release: () => void;
let entered: Promise<void>;
let enter: () => void;
/** Releases the requests of `/held`; counts those of `/quick`. */
const held: (() => void)[] = [];
let heard = 0;

const routes = [
  route({
    method: 'GET',
    path: '/slow',
    security: { kind: 'public' },
    handler: async () => {
      enter();
      await new Promise<void>((resolve) => (release = resolve));
      return { status: 200, json: { done: true } };
    },
  }),
  route({
    method: 'GET',
    path: '/quick',
    security: { kind: 'public' },
    handler: async () => {
      heard += 1;
      return { status: 200, json: {} };
    },
  }),
  route({
    method: 'GET',
    path: '/held',
    security: { kind: 'public' },
    handler: async () => {
      await new Promise<void>((resolve) => held.push(resolve));
      return { status: 200, json: {} };
    },
  }),
  route({
    method: 'GET',
    path: '/long',
    security: { kind: 'public' },
    handler: async () => ({ status: 200, bytes: Buffer.alloc(LONG, 'x'), type: 'text/plain' }),
  }),
  route({
    method: 'POST',
    path: '/body',
    security: { kind: 'public' },
    body: { json: z.unknown() },
    handler: async () => ({ status: 200, json: {} }),
  }),
];

/** A connection that its caller keeps: each answer as it comes, and its end. */
async function kept(port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const ended = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, ended, answer: async () => ((await once(socket, 'data')) as [string])[0] };
}

beforeEach(() => {
  held.length = 0;
  heard = 0;
  entered = new Promise((resolve) => (enter = resolve));
});

describe('closing the server: SIGTERM drains', () => {
  it('finishes the requests in flight', async () => {
    const service = await serve({ routes });
    const answer = exchange(service.port, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await entered;
    const closed = service.close();
    release();
    await closed;
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*"done":true/);
  });

  it('answers a request on an idle connection meanwhile, with Connection: close', async () => {
    const service = await serve({ routes, lastCallMs: 60_000 });
    const { socket, answer, ended } = await kept(service.port);
    socket.write('GET /quick HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await answer()).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: keep-alive\r\n/);
    const closed = service.close();
    socket.write('GET /quick HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await answer()).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n/);
    await ended;
    await closed;
  });

  it('adds Connection: close to the answers in flight', async () => {
    const service = await serve({ routes, lastCallMs: 60_000 });
    const { socket, answer, ended } = await kept(service.port);
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await entered;
    const closed = service.close();
    release();
    expect(await answer()).toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n/);
    await ended;
    await closed;
  });

  it('answers all pipelined requests, the last one with Connection: close', async () => {
    const service = await serve({ routes, lastCallMs: 60_000 });
    const { socket } = await kept(service.port);
    const answers = text(socket);
    socket.write(get('/held') + get('/held'));
    await until(() => held.length === 2, { what: 'two requests in flight' });
    const closed = service.close();
    for (const go of held) go();
    expect(connectionsIn(await answers)).toEqual(['keep-alive', 'close']);
    await closed;
  });

  it('answers a pipelined request that waits for an earlier answer', async () => {
    const service = await serve({ routes });
    const { socket } = await kept(service.port);
    const answers = text(socket);
    socket.write(get('/held') + get('/quick'));
    await until(() => held.length === 1 && heard === 1, { what: 'two requests in flight' });
    const closed = service.close();
    held[0]!();
    expect((await answers).match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    await closed;
  });

  it('ignores a request after Connection: close', async () => {
    const service = await serve({ routes, lastCallMs: 60_000 });
    const [{ socket }, other] = [await kept(service.port), await kept(service.port)];
    const answers = text(socket);
    socket.write(get('/held'));
    await until(() => held.length === 1, { what: 'a request in flight' });
    const closed = service.close();
    socket.write(get('/quick'));
    // The answer to a later request shows that the server has read the earlier one.
    other.socket.write(get('/nowhere'));
    await other.answer();
    held[0]!();
    expect([connectionsIn(await answers), heard]).toEqual([['close'], 0]);
    await closed;
  });

  it('completes an answer that its caller reads slowly', async () => {
    const service = await serve({ routes });
    const { socket } = await kept(service.port);
    socket.pause().write(get('/long'));
    await once(socket, 'readable');
    const closed = service.close();
    const answer = await text(socket);
    expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(LONG);
    await closed;
  });

  it('accepts no new connection and closes idle ones', async () => {
    const service = await serve({ routes, lastCallMs: 100 });
    const { socket, answer, ended } = await kept(service.port);
    socket.write('GET /quick HTTP/1.1\r\nHost: x\r\n\r\n');
    await answer();
    const closed = service.close();
    const late = connect(service.port, '127.0.0.1');
    await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await ended;
    await closed;
  });

  it.each([
    ['never says a word', ''],
    ['stops in the middle of the header', 'POST /body HTTP/1.1\r\nHost: x\r\n'],
    [
      'stops in the middle of the body',
      'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ],
  ])(
    'is not delayed by a caller that %s',
    async (_title, bytes) => {
      const service = await serve({ routes, drainLimitMs: 200 });
      const socket = connect(service.port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      if (bytes !== '') socket.write(bytes);
      // The answer on a later connection shows that the server has read the earlier one.
      await exchange(service.port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      await expect(service.close()).resolves.toBeUndefined();
      socket.destroy();
    },
    5_000,
  );
});
