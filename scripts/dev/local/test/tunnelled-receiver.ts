import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@kontoport/embedded/wait';
import { tlsFolder } from '@kontoport/testing/tls';
import type { Webhook } from './tpp-app.ts';

const ADDRESS = '10.20.0.2';

interface Event {
  eventType: string;
  data: { status: string };
}

/**
 * Opens a receiver of webhooks for a file, at an address that production accepts: https, and not loopback. Only its own
 * forward proxy leads there; no machine has the address.
 */
export function useTunnelledReceiver() {
  /** Of the stack whose webhooks come here. */
  const variables: NodeJS.ProcessEnv = { CALLBACK_ALLOW: `${ADDRESS}/32` };
  const webhooks: Webhook[] = [];
  const tunnels = new Set<Socket>();
  let receiver: Server;
  let tls: Awaited<ReturnType<typeof tlsFolder>>;
  const proxy = createServer();
  proxy.on('connect', ({ url }: IncomingMessage, socket: Socket) => {
    if (url !== `${ADDRESS}:443`) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    tunnels.add(socket);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    receiver.emit('connection', socket);
  });

  beforeAll(async () => {
    tls = await tlsFolder();
    const files = await tls.issue('receiver', { server: [ADDRESS] });
    const [cert, key] = [readFileSync(files.cert), readFileSync(files.key)];
    receiver = createTlsServer({ cert, key }, (request, response) => {
      void text(request).then((body) => {
        webhooks.push({ body, signature: request.headers['x-hmac-signature'] });
        response.writeHead(204).end();
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    variables.CALLBACK_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    variables.NODE_EXTRA_CA_CERTS = tls.ca;
  });
  afterAll(() => {
    for (const socket of tunnels) socket.destroy();
    proxy.close();
    tls.remove();
  });

  return {
    variables,
    callbackUrl: `https://${ADDRESS}/webhooks`,
    /** Waits for an event of this type and status with the signature of the key. @returns its data */
    receive: (key: string, eventType: string, status: string): Promise<object> =>
      until(
        () =>
          webhooks
            .filter(
              ({ body, signature }) => signature === createHmac('sha256', key).update(body).digest('hex'),
            )
            .map(({ body }) => JSON.parse(body) as Event)
            .find((event) => event.eventType === eventType && event.data.status === status)?.data,
        { what: `a signed ${eventType} with ${status}` },
      ),
  };
}
