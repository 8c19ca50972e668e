import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A batch. */
export interface SentBatch {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** A span of OTLP in JSON, and the resource of its process. */
export interface SentSpan {
  name: string;
  /** Span kind of OTLP: 2 is a server's, 3 a client's. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Attributes;
  resource: Attributes;
}

/**
 * Starts a collector on a free port of this machine.
 * @param options.status of its answers; default 200; 'never': it never answers
 */
export async function startCollector(options: { status?: number | 'never' } = {}) {
  const { status = 200 } = options;
  const received: SentBatch[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path, headers } = request;
      received.push({ path: path!, headers, body: Buffer.concat(chunks) });
      if (status === 'never') return;
      const type = headers['content-type'];
      response.writeHead(status, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    /** Oldest first. */
    received: received as readonly SentBatch[],
    /** Returns the spans that were sent in JSON. */
    spans: (): SentSpan[] =>
      received
        .filter(({ path }) => path === '/v1/traces')
        .flatMap(({ body }) => spansOf(JSON.parse(body.toString()) as TracesBody)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

interface TracesBody {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<SentSpan, 'attributes' | 'resource'> & { attributes: Attribute[] })[] }[];
  }[];
}

const attributesOf = (attributes: readonly Attribute[]): Attributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

function spansOf({ resourceSpans }: TracesBody): SentSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        ...span,
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes),
      })),
  );
}
