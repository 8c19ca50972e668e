import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { type BoundedRequest, createBoundedFetch } from '../src/index.ts';

const bounded = createBoundedFetch({ allowLoopback: true });
const open: Server[] = [];

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (answer: RequestListener) => listen(createServer(answer));

const ask = (url: string, change: Partial<BoundedRequest> = {}) =>
  bounded({ url, method: 'GET', headers: {}, maxBytes: 1000, timeLimit: 5000, ...change });

afterAll(async () => {
  await bounded.destroy();
  for (const server of open) server.close();
});

describe('one request with bounds (ADR-0007)', () => {
  it('sends method, headers and body, and returns the bytes of a 200', async () => {
    const origin = await serve((request, response) => {
      const { method, url, headers } = request;
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => response.end(`${method} ${url} ${headers['content-type']} ${body}`));
    });
    const answer = await ask(`${origin}/a?b`, {
      method: 'POST',
      headers: { 'content-type': 'text/x' },
      body: Buffer.from('body'),
    });
    expect('bytes' in answer && Buffer.from(answer.bytes).toString()).toBe('POST /a?b text/x body');
  });

  it('does not follow a redirect', async () => {
    let asked = 0;
    const origin = await serve((_request, response) => {
      asked += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await ask(origin)).toEqual({ fault: 'answers 302', isTemporary: false });
    expect(asked).toBe(1);
  });

  it.each([
    [404, false],
    [429, true],
    [503, true],
  ])('classifies a %i as temporary or not', async (status, isTemporary) => {
    const origin = await serve((_request, response) => response.writeHead(status).end());
    expect(await ask(origin)).toEqual({ fault: `answers ${status}`, isTemporary });
  });

  it('accepts the allowed bytes, and ends a longer answer', async () => {
    const origin = await serve((request, response) =>
      response.end(Buffer.alloc(Number(request.url!.slice(1)))),
    );
    expect(await ask(`${origin}/1000`)).toEqual({ bytes: Buffer.alloc(1000) });
    const tooLong = { fault: 'answers more than 1000 bytes', isTemporary: false };
    expect(await ask(`${origin}/1001`)).toEqual(tooLong);
    expect(await ask(`${origin}/10000000`)).toEqual(tooLong);
  });

  const endless = { fault: 'answers without end', isTemporary: false };
  const OF_CHUNKS = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  it.each([
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', endless.fault],
    ['a reason', 'HTTP/1.1 200 ', 'x', endless.fault],
    ['an extension of a chunk', `${OF_CHUNKS}1;`, 'x', endless.fault],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n', endless.fault],
    ['trailers', `${OF_CHUNKS}1\r\nx\r\n0\r\n`, 'x: y\r\n', endless.fault],
  ])('ends an answer of endless %s', async (_what, before, repeated, fault) => {
    const origin = await serve((_request, { socket }) => {
      const more = (): void => {
        while (!socket!.destroyed && socket!.write(repeated.repeat(1_000)));
      };
      socket!.on('drain', more).on('error', () => {});
      socket!.write(before);
      more();
    });
    expect(await ask(origin, { timeLimit: 60_000 })).toEqual({ fault, isTemporary: false });
  });

  it('bounds headers and frames by the size of the body', async () => {
    const body = Buffer.alloc(30_000, 'x');
    const origin = await serve((request, response) => {
      response.writeHead(200, { 'x-padding': 'y'.repeat(15_000) });
      const step = Number(request.url!.slice(1));
      for (let at = 0; at < body.length; at += step) response.write(body.subarray(at, at + step));
      response.end();
    });
    const maxBytes = body.length;
    // Each chunk has at least five bytes around it.
    expect(await ask(`${origin}/2`, { maxBytes })).toEqual({ bytes: body });
    expect(await ask(`${origin}/1`, { maxBytes })).toEqual(endless);
    expect(await ask(`${origin}/1`, { maxBytes: 4 * maxBytes })).toEqual({ bytes: body });
  });

  it.each<[string, RequestListener]>([
    ['says nothing', () => undefined],
    ['stops in the middle', (_request, response) => response.writeHead(200).write('a')],
  ])('waits no longer than the time limit for a server that %s', async (_what, answer) => {
    const started = performance.now();
    expect(await ask(await serve(answer), { timeLimit: 200 })).toEqual({
      fault: 'gives no answer in time',
      isTemporary: true,
    });
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it('distinguishes a closed port from another protocol', async () => {
    const other = createTcpServer((socket) => {
      // The server reads, because otherwise it would not notice the end of the connection. A reset is expected.
      socket.on('error', () => {}).resume();
      socket.end('220 mail.example ESMTP\r\n');
    });
    const origin = await listen(other);
    expect(await ask(origin)).toEqual({ fault: 'does not speak HTTP', isTemporary: false });
    other.close();
    expect(await ask(origin)).toEqual({ fault: 'cannot be reached', isTemporary: true });
  });

  it.each([
    'ldap://ca.example/cn=ca',
    'file:///etc/passwd',
    'http://user:word@ca.example/',
    'ca.example',
    '',
  ])('refuses %s', async (url) => {
    expect(await ask(url)).toEqual({ fault: 'is no http or https URL', isTemporary: false });
  });

  it.each([
    'http://127.0.0.1:9',
    'http://localhost:9',
    'http://[::1]:9',
    'http://10.0.0.1',
    'http://169.254.169.254',
  ])('opens no connection to %s unless allowed', async (url) => {
    const guarded = createBoundedFetch({ allowLoopback: false });
    const answer = await guarded({
      url,
      method: 'GET',
      headers: {},
      maxBytes: 1000,
      timeLimit: 5000,
    });
    await guarded.destroy();
    expect(answer).toEqual({ fault: expect.stringMatching(/no(t)? public/), isTemporary: false });
  });
});
