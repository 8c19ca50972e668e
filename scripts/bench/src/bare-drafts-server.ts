// The least that can keep the three writes: node:http and one pg pool.
import { createServer, type IncomingMessage } from 'node:http';
import { type BareAnswer, openBareDrafts } from './bare-drafts.ts';

const { DATABASE_URL, PORT } = process.env as Record<string, string>;
const drafts = await openBareDrafts(DATABASE_URL!);

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
}

async function answer(request: IncomingMessage): Promise<BareAnswer> {
  if (request.method === 'GET') return [200, {}];
  const [url, body] = [request.url!, await bodyOf(request)];
  if (request.method === 'PATCH') return drafts.patch(url.slice(url.lastIndexOf('/') + 1), body);
  return url.endsWith('/approve') ? drafts.approve(body) : drafts.create(body);
}

createServer((request, response) => {
  void answer(request).then(([status, body]) =>
    response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(body)),
  );
}).listen(Number(PORT), '127.0.0.1');
