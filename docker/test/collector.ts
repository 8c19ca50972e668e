import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The kind of a span that serves a request. */
export const SERVER = 2;

interface Span {
  name: string;
  kind: number;
  attributes: { key: string }[];
}

interface Exported {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] };
    scopeSpans: { spans: Span[] }[];
  }[];
}

/** Receives spans by OTLP/HTTP as JSON. */
export interface Collector {
  url: string;
  /** Spans of a service so far. */
  spans(service: string): readonly Span[];
  /** First words of the attributes of its spans, such as `http` and `db`. */
  about(service: string): string[];
  close(): void;
}

export async function startCollector(): Promise<Collector> {
  const received = new Map<string, Span[]>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      for (const { resource, scopeSpans } of (JSON.parse(body) as Exported).resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')!.value.stringValue;
        const spans = scopeSpans.flatMap((scope) => scope.spans);
        received.set(service, [...(received.get(service) ?? []), ...spans]);
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const spans = (service: string): readonly Span[] => received.get(service) ?? [];
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    about: (service) => [
      ...new Set(spans(service).flatMap(({ attributes }) => attributes.map(({ key }) => key.split('.')[0]!))),
    ],
    close: () => server.close(),
  };
}
