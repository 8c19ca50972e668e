import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { untilReady } from '../src/until-ready.ts';

describe('waiting for a service', () => {
  it('reports the reason until the service is ready', async () => {
    let ready = false;
    const server = createServer((_request, response) => {
      response
        .writeHead(ready ? 200 : 503)
        .end(ready ? '{}' : '{"status":"not ready","waiting":{"database":"the database does not answer"}}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const opsPort = (server.address() as AddressInfo).port;
    const notes: string[] = [];
    const wait = (limit: number): Promise<void> =>
      untilReady({
        name: 'auth',
        opsPort,
        limitMs: limit,
        signal: new AbortController().signal,
        note: (reason) => {
          notes.push(reason);
        },
      });
    await expect(wait(0)).rejects.toThrow(
      /auth is not ready after 0 s: database: the database does not answer/,
    );
    ready = true;
    await wait(1_000);
    expect(notes).toEqual(['database: the database does not answer', '']);
    server.closeAllConnections();
    server.close();
  });

  it('ends at once with its signal', async () => {
    const signal = AbortSignal.abort(new Error('given up'));
    const waiting = untilReady({ name: 'auth', opsPort: 1, limitMs: 60_000, signal, note: () => {} });
    await expect(waiting).rejects.toThrow('given up');
  });
});
