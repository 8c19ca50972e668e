import { once } from 'node:events';
import { connect } from 'node:net';
import { exchange } from '@kontoport/testing/raw-http';
import { z } from 'zod';
import { route, serve } from './served.ts';

let release: () => void;
let entered: Promise<void>;
let enter: () => void;

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
    handler: async () => ({ status: 200, json: {} }),
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

  it('hears what comes over a kept connection meanwhile, and says that it was the last', async () => {
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

  it('says to whom it is answering that the connection ends', async () => {
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

  it('takes no new connection meanwhile, and ends one over which nothing comes', async () => {
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
    'is not held up by a caller that %s',
    async (_title, bytes) => {
      const service = await serve({ routes, drainLimitMs: 200 });
      const socket = connect(service.port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      if (bytes !== '') socket.write(bytes);
      // What a later connection was answered, an earlier one has been heard.
      await exchange(service.port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      await expect(service.close()).resolves.toBeUndefined();
      socket.destroy();
    },
    5_000,
  );
});
