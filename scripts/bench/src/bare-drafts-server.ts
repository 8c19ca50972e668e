// The least that can keep the same three writes: node:http and one pg pool, one statement each, nobody asked who calls.
import { createServer, type IncomingMessage } from 'node:http';
import { openPool } from '@kontoport/database';

const { DATABASE_URL, PORT } = process.env as Record<string, string>;
const pool = openPool({ url: DATABASE_URL!, applicationName: 'bare-drafts-server' });
await pool.query(`CREATE TABLE bare_draft (id uuid PRIMARY KEY, status text NOT NULL, content json NOT NULL);
                  CREATE TABLE bare_basket (id uuid PRIMARY KEY, content json NOT NULL)`);

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
}

const draftIdOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

async function answer(request: IncomingMessage): Promise<[number, unknown]> {
  if (request.method === 'GET') return [200, {}];
  const body = await bodyOf(request);
  if (request.method === 'PATCH') {
    await pool.query({
      name: 'patch',
      text: 'UPDATE bare_draft SET content = $2 WHERE id = $1',
      values: [draftIdOf(request.url!), JSON.stringify(body)],
    });
    return [200, { ...body, isValid: true }];
  }
  if (request.url!.endsWith('/approve')) {
    await pool.query({
      name: 'approve',
      text: `WITH approved AS (UPDATE bare_draft SET status = 'PENDING' WHERE id = ANY ($2::uuid[]))
             INSERT INTO bare_basket (id, content) VALUES ($1, $3)`,
      values: [body.requestId, body.draftIds, JSON.stringify(body)],
    });
    return [200, { status: 'APPROVED' }];
  }
  await pool.query({
    name: 'create',
    text: `INSERT INTO bare_draft (id, status, content) VALUES ($1, 'CREATED', $2)`,
    values: [body.draftId, JSON.stringify(body)],
  });
  return [201, body];
}

createServer((request, response) => {
  void answer(request).then(([status, body]) =>
    response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(body)),
  );
}).listen(Number(PORT), '127.0.0.1');
