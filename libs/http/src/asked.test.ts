import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Asked } from './asked.ts';

const opening = { requestId: 'r', givenRequestId: undefined, badRequestId: false, language: 'en' } as const;
const askedOf = (request: IncomingMessage, response: ServerResponse): Asked =>
  new Asked({ request, response, opening, caller: { proven: {} }, now: new Date() });

/** A request that has come, its answer, and the connection of its caller. */
async function requested() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  caller.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: a\r\nX-Name: me\r\n\r\n');
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { request, response, caller, close: () => server.close() };
}

describe('the signal of a request', () => {
  it('says that its caller has gone, who went before anybody asked', async () => {
    const { request, response, caller, close } = await requested();
    const gone = once(response, 'close');
    caller.destroy();
    await gone;
    const { signal } = askedOf(request, response);
    expect([signal.aborted, (signal.reason as Error).name]).toEqual([true, 'AbortError']);
    close();
  });

  it('is one and the same, and says it to whoever waits', async () => {
    const { request, response, caller, close } = await requested();
    const asked = askedOf(request, response);
    const { signal } = asked;
    expect(asked.signal).toBe(signal);
    expect(signal.aborted).toBe(false);
    const aborted = once(signal, 'abort');
    caller.destroy();
    await aborted;
    expect(signal.aborted).toBe(true);
    close();
  });

  it('says nothing once the whole answer has left, whether it was asked for before or after', async () => {
    const { request, response, caller, close } = await requested();
    const asked = askedOf(request, response);
    const { signal } = asked;
    const left = once(response, 'close');
    response.end('done');
    await left;
    expect([signal.aborted, askedOf(request, response).signal.aborted]).toEqual([false, false]);
    caller.destroy();
    close();
  });

  it('comes with the headers as Node reads them', async () => {
    const { request, response, caller, close } = await requested();
    expect(askedOf(request, response).headers).toMatchObject({ 'x-name': 'me' });
    caller.destroy();
    close();
  });
});
