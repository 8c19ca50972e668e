import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { route } from '@kontoport/gate';
import { type FakePeers, startFakePeers, type TestTpp } from '@kontoport/testing/fake-peers';
import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { z } from 'zod';
import { serve } from './served.ts';

const ok = async () => ({ status: 200, json: {} }) as const;
const words = {
  clause: '§5',
  summary: 'A test',
  answers: { 200: { description: 'Let in.', json: z.unknown(), example: {} }, 204: { description: 'Done.' } },
} as const;
const params = z.object({ id: z.string() });
const routes = [
  route({ ...words, method: 'GET', path: '/certificate', security: { kind: 'certificate' }, handler: ok }),
  route({
    ...words,
    method: 'POST',
    path: '/register',
    security: { kind: 'certificate', certificateRefusal: 403 },
    handler: ok,
  }),
  route({
    ...words,
    method: 'GET',
    path: '/token/:id',
    params,
    security: { kind: 'token' },
    handler: async ({ principal: { client, token } }) => ({
      status: 200,
      json: { clientId: client.clientId, scopes: token.scopes },
    }),
  }),
  route({
    ...words,
    method: 'GET',
    path: '/accounts',
    security: { kind: 'token', scope: 'PSP_AI', tokenRefusal: 403 },
    handler: ok,
  }),
  route({
    ...words,
    method: 'POST',
    path: '/payments',
    security: { kind: 'token', scope: 'PSP_PI' },
    handler: ok,
  }),
  route({
    ...words,
    method: 'DELETE',
    path: '/token/:id',
    params,
    security: { kind: 'token', deletedClient: 'allowed' },
    handler: async () => ({ status: 204 }),
  }),
];

let peers: FakePeers;
let served: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  peers = await startFakePeers();
  served = await serve({ routes, env: peers.env });
  await until(() => served.gate.directory.readiness() === undefined, { what: 'the client directory' });
});
afterAll(async () => {
  await served.close();
  await peers.close();
});

async function ask(
  path: string,
  headers: Record<string, string>,
  options: { origin?: string; method?: string } = {},
) {
  const { origin = served.origin, method = 'GET' } = options;
  const response = await fetch(origin + path, { method, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

/** A TPP in the client directory of the service. */
async function knownTpp(options: Parameters<FakePeers['addTpp']>[0] = {}) {
  const tpp = await peers.addTpp(options);
  await until(() => served.gate.directory.find(tpp.clientId), { what: 'the client in the directory' });
  return tpp;
}

function omitSecret({ certificateHeaders }: TestTpp): Record<string, string> {
  const { 'x-edge-secret': _secret, ...headers } = certificateHeaders;
  return headers;
}

describeRouteSecurity({
  service: { entryPoints: () => ({ routes: { here: routes } }) },
  addresses: () => ({ here: served.origin }),
  peers: () => peers,
});

describe('an authenticated caller (§5)', () => {
  it('is accepted, and the handler gets the principal', async () => {
    const tpp = await knownTpp();
    const answer = await ask('/token/1', await tpp.headers());
    expect(answer).toMatchObject({
      status: 200,
      json: { clientId: tpp.clientId, scopes: ['PSP_AI', 'PSP_PI'] },
    });
  });

  it.each([
    ['no token', '/token/1', undefined, 'Bearer realm="kontoport"'],
    ['a token that is none', '/token/1', 'Bearer abc', 'Bearer realm="kontoport", error="invalid_token"'],
  ])('gets WWW-Authenticate: %s', async (_what, path, authorization, challenge) => {
    const tpp = await knownTpp();
    const answer = await ask(path, {
      ...tpp.certificateHeaders,
      ...(authorization ? { authorization } : {}),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(challenge);
  });

  it.each([
    [50, 200],
    [70, 401],
  ])('presents a token that was issued %i s from now: %i', async (issuedIn, status) => {
    const tpp = await knownTpp();
    expect((await ask('/token/1', await tpp.headers({ issuedIn }))).status).toBe(status);
  });

  it.each<[string, (tpp: TestTpp) => Record<string, string>]>([
    ['no certificate', () => ({})],
    ['one that is not handed over by the edge', omitSecret],
    ['a header that is none', (tpp) => ({ ...tpp.certificateHeaders, 'client-cert': 'x' })],
  ])('gets WWW-Authenticate: %s', async (_what, headersOf) => {
    const tpp = await knownTpp();
    for (const path of ['/token/1', '/certificate']) {
      const answer = await ask(path, headersOf(tpp));
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="kontoport"');
    }
  });

  it('needs the scope in the token, in the client and in the certificate', async () => {
    const lessToken = await knownTpp();
    const lessCertificate = await knownTpp({ certificateRoles: ['PSP_PI'] });
    const lessClient = await knownTpp({ roles: ['PSP_PI'], certificateRoles: ['PSP_AI', 'PSP_PI'] });
    for (const headers of [
      await lessToken.headers({ scope: 'PSP_PI' }),
      await lessCertificate.headers({ scope: 'PSP_AI PSP_PI' }),
      await lessClient.headers({ scope: 'PSP_AI PSP_PI' }),
    ]) {
      const answer = await ask('/accounts', headers);
      expect(answer).toMatchObject({ status: 403, json: { errorCode: 'SCOPE_INSUFFICIENT' } });
      expect(answer.headers.get('www-authenticate')).toBe(
        'Bearer realm="kontoport", error="insufficient_scope", scope="PSP_AI"',
      );
    }
  });
});

describe('a route that answers 403 for a certificate, such as POST /tpp (§7)', () => {
  it.each<[string, (tpp: TestTpp) => Record<string, string>, string]>([
    ['no certificate', () => ({}), 'CERTIFICATE_MISSING'],
    ['one that is not handed over by the edge', omitSecret, 'CERTIFICATE_INVALID'],
    [
      'a header that is none',
      (tpp) => ({ ...tpp.certificateHeaders, 'client-cert': 'x' }),
      'CERTIFICATE_INVALID',
    ],
    [
      'a header of another edge beside the right one',
      (tpp) => ({ ...tpp.certificateHeaders, 'ssl-client-cert': 'x' }),
      'CERTIFICATE_INVALID',
    ],
  ])('answers 403 to %s', async (_what, headersOf, errorCode) => {
    const answer = await ask('/register', headersOf(await knownTpp()), { method: 'POST' });
    expect(answer).toMatchObject({ status: 403, json: { errorCode } });
  });
});

describe('DELETE /tpp/{clientId} in the other services (§4.2)', () => {
  it('invalidates a verified token at once; only the deletion may be repeated', async () => {
    const tpp = await knownTpp();
    const headers = await tpp.headers();
    expect((await ask('/token/1', headers)).status).toBe(200);
    peers.deleteTpp(tpp);
    await until(() => served.gate.directory.find(tpp.clientId)?.deleted, { what: 'the deletion' });
    expect(await ask('/token/1', headers)).toMatchObject({
      status: 401,
      json: { errorCode: 'TOKEN_INVALID' },
    });
    expect((await ask('/token/1', headers, { method: 'DELETE' })).status).toBe(204);
  });

  it('answers 503 with Retry-After while the directory is silent', async () => {
    const tpp = await knownTpp();
    const headers = await tpp.headers();
    peers.silence();
    await until(async () => (await ask('/token/1', headers)).status === 503, {
      what: 'the end of the lease',
    });
    const answer = await ask('/token/1', headers);
    expect(answer.json.errorCode).toBe('UNAVAILABLE');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask('/certificate', tpp.certificateHeaders)).status).toBe(200);
    peers.speak();
    await until(async () => (await ask('/token/1', headers)).status === 200, {
      what: 'the directory to be back',
    });
  });
});

describe('a client that registered a moment ago (§5.3)', () => {
  it('gets 503 with Retry-After, not 401, before its replication', async () => {
    const clientId = randomUUID();
    const { certificateHeaders } = await knownTpp();
    const token = await peers.token({ clientId, scope: 'PSP_AI', thumbprint: 'x'.repeat(43) });
    const headers = { ...certificateHeaders, authorization: `Bearer ${token}` };
    for (const [path, method] of [
      ['/token/1', 'GET'],
      ['/token/1', 'DELETE'],
      ['/accounts', 'GET'],
    ] as const) {
      const answer = await ask(path, headers, { method });
      expect(answer).toMatchObject({ status: 503, json: { errorCode: 'UNAVAILABLE' } });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    const tpp = await peers.addTpp({ clientId });
    await until(() => served.gate.directory.find(clientId), { what: 'the client' });
    expect((await ask('/token/1', await tpp.headers())).status).toBe(200);
  });
});

describe('without the keys of auth', () => {
  const jwks = async (): Promise<string> => (await fetch(peers.env.AUTH_JWKS_URL!)).text();
  const faults: Record<string, (response: ServerResponse) => unknown> = {
    'answers 503': (response) => response.writeHead(503).end(),
    'answers no JSON': (response) => response.end('<html>'),
    'answers no JWKS': (response) => response.end('[]'),
    'cuts the connection': (response) => response.destroy(),
    'never answers': () => undefined,
  };
  let keys: Server | undefined;

  afterEach(() => {
    keys?.closeAllConnections();
    keys?.close();
  });

  async function serveWithKeysAt(port: number) {
    const env = { ...peers.env, AUTH_JWKS_URL: `http://127.0.0.1:${port}/.well-known/jwks.json` };
    const other = await serve({ routes, env });
    await until(() => other.gate.directory.readiness() === undefined, { what: 'the client directory' });
    return other;
  }

  async function listen(port: number, answer: (response: ServerResponse) => unknown): Promise<void> {
    keys = createServer((_request, response) => void answer(response)).listen(port, '127.0.0.1');
    await once(keys, 'listening');
  }

  it('tokens get 503 with Retry-After, and are accepted without a restart once auth answers', async () => {
    const port = await freePort();
    const other = await serveWithKeysAt(port);
    const tpp = await knownTpp();
    const headers = await tpp.headers();
    const answer = await ask('/token/1', headers, other);
    expect(answer).toMatchObject({ status: 503, json: { errorCode: 'UNAVAILABLE' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await listen(port, async (response) => response.end(await jwks()));
    expect((await ask('/token/1', headers, other)).status).toBe(200);
    keys!.closeAllConnections();
    keys!.close();
    // A token that was verified once needs no keys again.
    expect((await ask('/token/1', headers, other)).status).toBe(200);
    await other.close();
  });

  it.each(Object.keys(faults))('tokens get 503 in bounded time when auth %s', async (fault) => {
    const port = await freePort();
    await listen(port, faults[fault]!);
    const other = await serveWithKeysAt(port);
    const tpp = await knownTpp();
    const started = performance.now();
    expect((await ask('/token/1', await tpp.headers(), other)).status).toBe(503);
    expect(performance.now() - started).toBeLessThan(4_000);
    await other.close();
  });
});

describe('closing the server', () => {
  it('finishes the request in flight, and accepts no new one', async () => {
    let finish = (): void => {};
    let arrived = (): void => {};
    const inHandler = new Promise<void>((resolve) => (arrived = resolve));
    const slow = route({
      ...words,
      method: 'GET',
      path: '/slow',
      security: { kind: 'public' },
      handler: async () => {
        arrived();
        await new Promise<void>((resolve) => (finish = resolve));
        return { status: 200, json: { done: true } };
      },
    });
    const other = await serve({ routes: [slow], env: peers.env });
    const running = fetch(`${other.origin}/slow`);
    await inHandler;
    const closed = other.close();
    await until(
      () =>
        fetch(`${other.origin}/slow`).then(
          () => false,
          () => true,
        ),
      { what: 'refused connections' },
    );
    finish();
    expect(await (await running).json()).toEqual({ done: true });
    await closed;
  });

  it('aborts a handler when its caller disconnects', async () => {
    let signal: AbortSignal | undefined;
    const slow = route({
      ...words,
      method: 'GET',
      path: '/slow',
      security: { kind: 'public' },
      handler: async (request) => {
        ({ signal } = request);
        await once(request.signal, 'abort');
        return { status: 204 };
      },
    });
    const other = await serve({ routes: [slow], env: peers.env });
    const caller = new AbortController();
    const asked = fetch(`${other.origin}/slow`, { signal: caller.signal });
    await until(() => signal, { what: 'the request' });
    expect(signal!.aborted).toBe(false);
    caller.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => signal!.aborted, { what: 'the abort' });
    await other.close();
  });
});
