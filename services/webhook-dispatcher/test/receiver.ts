import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  /** As they were spelled. */
  headerNames: string[];
  raw: Buffer;
  body: {
    subscriptionId: string;
    idempotencyKey: string;
    eventTime: string;
    eventType: string;
    data: Record<string, unknown>;
  };
}

/** The answer of a receiver; without one the request stays open. */
export type Answer = (response: ServerResponse, webhook: ReceivedWebhook, index: number) => void;

export const accept: Answer = (response) => void response.writeHead(204).end();

/** A TPP's receiver: a real HTTP server on loopback that remembers what it got. */
export interface Receiver {
  url: string;
  received: ReceivedWebhook[];
  answer: Answer;
  /** TCP connections made to it. */
  connections(): number;
  close(): Promise<void>;
}

export async function startReceiver(answer: Answer = accept): Promise<Receiver> {
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const { method, url: path, headers } = request;
      const body = JSON.parse(raw.toString()) as ReceivedWebhook['body'];
      const headerNames = request.rawHeaders.filter((_text, at) => at % 2 === 0);
      const webhook = { method, path, headers, headerNames, raw, body };
      receiver.received.push(webhook);
      receiver.answer(response, webhook, receiver.received.length - 1);
    });
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?tenant=7`,
    received: [],
    answer,
    connections: () => connections,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}

/** Verifies a webhook as a TPP does (§5.8), written from the text alone. */
export function hmacOf({ raw }: ReceivedWebhook, subscriptionKey: string): string {
  return createHmac('sha256', Buffer.from(subscriptionKey, 'ascii')).update(raw).digest('hex');
}
