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
    method: 'POST',
    path: '/body',
    security: { kind: 'public' },
    body: { json: z.unknown() },
    handler: async () => ({ status: 200, json: {} }),
  }),
];

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
