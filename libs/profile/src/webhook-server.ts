import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InputError } from '@kontoport/command';

/** A webhook as it arrived. */
export interface Webhook {
  headers: IncomingHttpHeaders;
  /** The raw bytes, over which the signature is made. */
  body: Buffer;
}

/** The answer to a webhook. */
export interface Reply {
  status: number;
  retryAfter?: string;
}

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_REQUEST_MS = 30_000;

/** Reads the body; undefined when it is larger than any webhook. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Receives webhooks on a loopback port; 0 is any free one. @throws InputError when the port is in use */
export async function startWebhookServer(
  port: number,
  receive: (webhook: Webhook) => Promise<Reply>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ requestTimeout: MAX_REQUEST_MS }, (request, response) => {
    const answer = async (): Promise<void> => {
      const body = await readBody(request);
      const { status, retryAfter } = body
        ? await receive({ headers: request.headers, body })
        : { status: 413, retryAfter: undefined };
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end();
    };
    answer().catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new InputError(
      `port ${port} is in use, perhaps by another kontoport listen: choose one with --port`,
      {
        cause: error,
      },
    );
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.close();
      server.closeIdleConnections();
      await once(server, 'close');
    },
  };
}
