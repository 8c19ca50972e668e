import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { TlsFiles } from './tls.ts';

/** What was sent at once. */
export interface SentSpans {
  path: string;
  headers: IncomingHttpHeaders;
  /** Over TLS, the name in the caller's certificate. */
  caller: string | undefined;
  body: Buffer;
}

/** A span of OTLP in JSON, and what is said of its process. */
export interface SentSpan {
  name: string;
  traceId: string;
  resource: Readonly<Record<string, string | undefined>>;
}

/**
 * A collector of traces on a free port of this machine.
 * @param options.status of its answers; default 200; without one it never answers
 * @param options.tls absent: plaintext. Callers prove themselves by a certificate of `ca`.
 * @param options.keepsConnections false: each request has a connection of its own
 */
export async function startCollector(
  options: {
    status?: number | 'never';
    tls?: TlsFiles & { ca: string };
    keepsConnections?: boolean;
  } = {},
) {
  const { status = 200, tls, keepsConnections = true } = options;
  const received: SentSpans[] = [];
  const take: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path, headers, socket } = request;
      const caller =
        socket instanceof TLSSocket ? (socket.getPeerCertificate().subject.CN as string) : undefined;
      received.push({ path: path!, headers, caller, body: Buffer.concat(chunks) });
      if (!keepsConnections) response.setHeader('connection', 'close');
      if (status === 'never') return;
      response
        .writeHead(status, { 'content-type': request.headers['content-type'] })
        .end(request.headers['content-type'] === 'application/json' ? '{}' : '');
    });
  };
  const server =
    tls === undefined
      ? createServer(take)
      : createTlsServer(
          {
            ca: readFileSync(tls.ca),
            cert: readFileSync(tls.cert),
            key: readFileSync(tls.key),
            requestCert: true,
          },
          take,
        );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `${tls === undefined ? 'http' : 'https'}://localhost:${(server.address() as AddressInfo).port}`,
    /** Oldest first. */
    received: received as readonly SentSpans[],
    /** Of what was sent in JSON. */
    spans: (): SentSpan[] => received.flatMap(({ body }) => spansOf(body.toString())),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function spansOf(json: string): SentSpan[] {
  const { resourceSpans } = JSON.parse(json) as {
    resourceSpans: {
      resource: { attributes: { key: string; value: { stringValue?: string } }[] };
      scopeSpans: { spans: { name: string; traceId: string }[] }[];
    }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const told = Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value.stringValue]));
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId }) => ({ name, traceId, resource: told })),
    );
  });
}
