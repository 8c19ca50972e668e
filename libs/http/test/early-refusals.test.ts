import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from '@kontoport/embedded/wait';
import { ApiError } from '@kontoport/errors';
import { exchange, readRaw } from '@kontoport/testing/raw-http';
import { said } from '@kontoport/testing/said';
import { z } from 'zod';
import { route, serve } from './served.ts';

let letGo: (() => void) | undefined;
const routes = [
  route({
    method: 'POST',
    path: '/notes',
    security: { kind: 'public' },
    body: { json: z.strictObject({}) },
    handler: async () => ({ status: 200, json: {} }),
  }),
  route({
    method: 'POST',
    path: '/slowly',
    security: { kind: 'public' },
    body: { json: z.strictObject({}) },
    handler: async () => {
      await new Promise<void>((resolve) => (letGo = resolve));
      return { status: 200, json: {} };
    },
  }),
  route({
    method: 'POST',
    path: '/oauth',
    security: { kind: 'public' },
    errors: 'oauth',
    handler: async () => {
      throw new ApiError('ROLE_INVALID', said('No.'));
    },
  }),
];

const TABLE: [what: string, raw: string, status: number, errorCode: string][] = [
  ['CONNECT', 'CONNECT bank.test:443 HTTP/1.1\r\nHost: bank.test:443\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
  [
    'an expectation that cannot be met',
    'POST /notes HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    417,
    'FORMAT_ERROR',
  ],
  ['no Host', 'POST /notes HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', 400, 'FORMAT_ERROR'],
  ['no HTTP', 'nonsense\r\n\r\n', 400, 'FORMAT_ERROR'],
];

describe('a request that no route handles (§7)', () => {
  const form = async (errors: 'oauth' | 'html' | undefined, raw: string): Promise<string> => {
    const server = await serve({ routes, errors });
    try {
      return await exchange(server.port, raw);
    } finally {
      await server.close();
    }
  };

  it.each(TABLE)('%s has a body, in JSON', async (_what, raw, status, errorCode) => {
    expect(readRaw(await form(undefined, raw))).toMatchObject({
      status,
      json: { errorCode, message: expect.any(String) as string, requestId: expect.any(String) as string },
    });
  });

  it.each(TABLE)('%s has the form of RFC 6749 at an address of OAuth', async (_what, raw, status) => {
    const { json, ...rest } = readRaw(await form('oauth', raw));
    expect(rest.status).toBe(status);
    expect(json).toEqual({ error: 'invalid_request', error_description: expect.any(String) as string });
  });

  it.each(TABLE)('%s has a page at an address of people', async (_what, raw, status) => {
    const answer = await form('html', raw);
    expect(answer).toMatch(
      new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*content-type: text/html[\\s\\S]*<html`, 'i'),
    );
  });

  it('refuses an unknown method in the form of the path', async () => {
    const refused = await form(undefined, 'PUT /oauth HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(readRaw(refused)).toMatchObject({ status: 405, json: { error: 'invalid_request' } });
    const other = await form('oauth', 'PUT /notes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(readRaw(other)).toMatchObject({ status: 405, json: { errorCode: 'METHOD_NOT_ALLOWED' } });
  });

  it('accepts 100-continue', async () => {
    const answer = await form(
      undefined,
      'POST /notes HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    );
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
  });
});

describe('a connection stays open', () => {
  it.each(['/nothing', '/notes'])('after a refusal of a request without body: %s', async (path) => {
    const server = await serve({ routes });
    const asked = (more = ''): string => `PUT ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const answers = await exchange(server.port, asked() + asked('Connection: close\r\n'));
    expect(answers.match(/HTTP\/1\.1 40[45]/g)).toHaveLength(2);
    await server.close();
  });

  it.each([
    ['without announced length', 'Transfer-Encoding: chunked', '0\r\n\r\n'],
    ['of more than 1 MB', `Content-Length: ${(1 << 20) + 1}`, ' '.repeat((1 << 20) + 1)],
  ])('closes after an unread body %s', async (_what, header, body) => {
    const server = await serve({ routes });
    const head = `POST /nothing HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;
    const answer = await exchange(server.port, head + body);
    expect(answer).toMatch(/^HTTP\/1.1 404 [\s\S]*connection: close\r\n/i);
    await server.close();
  });
});

describe('an invalid request on a reused connection, as edges keep them', () => {
  const good =
    'POST /notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';

  it.each([
    ['headers of more than 64 KB', `GET / HTTP/1.1\r\nX: ${'x'.repeat(70 * 1024)}\r\n\r\n`, 431],
    ['no HTTP', 'nonsense\r\n\r\n', 400],
  ])('gets an answer: %s', async (_what, raw, status) => {
    const server = await serve({ routes });
    const socket = connect(server.port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    socket.write(good);
    await until(() => received.endsWith('{}'), { what: 'the first answer' });
    const [first] = received.split('\r\n');
    received = '';
    socket.write(raw);
    await once(socket, 'close');
    await server.close();
    expect(first).toBe('HTTP/1.1 200 OK');
    expect(readRaw(received)).toMatchObject({ status, json: { errorCode: 'FORMAT_ERROR' } });
  });

  it('closes the connection silently while another answer is pending', async () => {
    const server = await serve({ routes });
    const socket = connect(server.port, '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    socket.write(good);
    await until(() => received.endsWith('{}'), { what: 'the first answer' });
    received = '';
    socket.write(good.replace('/notes', '/slowly'));
    await until(() => letGo !== undefined, { what: 'the second request' });
    socket.write('nonsense\r\n\r\n');
    await once(socket, 'close');
    letGo?.();
    await server.close();
    expect(received).toBe('');
  });
});

describe('a compressed body (§7)', () => {
  it('keeps the connection until all compressed chunks have arrived', async () => {
    const server = await serve({ routes });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('POST /notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n');
    socket.write('Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.write(`20000\r\n${' '.repeat(0x20000)}\r\n`);
    for (let at = 0; at < 10; at += 1) await fetch(`${server.origin}/nothing`);
    expect([readRaw(answer.toString()).status, socket.readableEnded]).toEqual([415, false]);
    socket.write('0\r\n\r\n');
    await once(socket, 'end');
    await server.close();
  });
});
