import { createHash, randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { Answer } from '@kontoport/testing/answer';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { describeRouteSecurity } from '@kontoport/testing/route-security';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { auth } from '../src/service.ts';
import { basic, requestToken, surroundAuth, type Surroundings, tokenHeaders } from './running.ts';

let around: Surroundings;
let origin: string;
let addresses: Partial<Record<string, string>>;

beforeAll(async () => {
  around = await surroundAuth();
  ({ origin, addresses } = await around.start());
});
afterAll(() => around.close());

const accessToken = ({ body }: Answer): string => String(body.access_token);

describe('POST /oauth2/token (§4.1; RFC 6749 §4.4, RFC 9068, RFC 8705)', () => {
  it('issues a token bound to client and certificate, without caching', async () => {
    const tpp = await around.peers.addTpp();
    const before = Math.floor(Date.now() / 1_000);
    const answer = await requestToken(origin, tokenHeaders(tpp));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'PSP_AI PSP_PI',
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('pragma')).toBe('no-cache');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');

    const jwks = createRemoteJWKSet(new URL(`${origin}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(accessToken(answer), jwks);
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: around.env.TOKEN_ISSUER,
      sub: tpp.clientId,
      client_id: tpp.clientId,
      aud: 'kontoport',
      iat: expect.any(Number),
      exp: payload.iat! + 3_600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      scope: 'PSP_AI PSP_PI',
      cnf: { 'x5t#S256': createHash('sha256').update(tpp.qwac.chain[0]!).digest('base64url') },
    });
    expect(payload.iat).toBeGreaterThanOrEqual(before);
    expect(payload.iat).toBeLessThanOrEqual(Date.now() / 1_000);
  });

  it('narrows the scope on request, and never grants a role that the certificate lacks', async () => {
    const both = await around.peers.addTpp();
    const form = { grant_type: 'client_credentials', scope: 'PSP_PI' };
    const narrowed = await requestToken(origin, tokenHeaders(both), form);
    expect([narrowed.status, narrowed.body.scope]).toEqual([200, 'PSP_PI']);
    expect(decodeJwt(accessToken(narrowed)).scope).toBe('PSP_PI');

    const less = await around.peers.addTpp({ certificateRoles: ['PSP_AI'] });
    expect((await requestToken(origin, tokenHeaders(less))).body.scope).toBe('PSP_AI');
    const refused = await requestToken(origin, tokenHeaders(less), form);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_scope']);
  });

  it('ends the token with the certificate', async () => {
    const notAfter = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 600_000);
    const tpp = await around.peers.addTpp({ notAfter });
    const answer = await requestToken(origin, tokenHeaders(tpp));
    expect(decodeJwt(accessToken(answer)).exp).toBe(notAfter.getTime() / 1_000);
    expect(answer.body.expires_in).toBeLessThanOrEqual(600);
  });

  it('ignores unknown and empty parameters', async () => {
    const tpp = await around.peers.addTpp();
    const form = { grant_type: 'client_credentials', resource: 'x', scope: '', client_id: tpp.clientId };
    const answer = await requestToken(origin, tokenHeaders(tpp), form);
    expect([answer.status, answer.body.scope]).toEqual([200, 'PSP_AI PSP_PI']);
  });
});

describe('a token request without valid proof (§5; RFC 6749 §5.2)', () => {
  it('gets the same answer for a wrong secret, another certificate, an unknown client and a deleted one', async () => {
    const [tpp, other, gone] = [
      await around.peers.addTpp(),
      await around.peers.addTpp(),
      await around.peers.addTpp(),
    ];
    around.peers.deleteTpp(gone);
    const answers = await Promise.all(
      [
        { ...tokenHeaders(tpp), authorization: basic(tpp.clientId, 'x'.repeat(43)) },
        { ...tokenHeaders(tpp), ...other.certificateHeaders },
        { ...tokenHeaders(tpp), authorization: basic(randomUUID(), tpp.clientSecret) },
        { ...tokenHeaders(tpp), authorization: basic('nobody', tpp.clientSecret) },
        tokenHeaders(gone),
      ].map((headers) => requestToken(origin, headers)),
    );
    for (const { status, headers, text } of answers) {
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Basic realm="kontoport", charset="UTF-8"');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text).toBe(answers[0]!.text);
    }
    expect(answers[0]!.body).toEqual({
      error: 'invalid_client',
      error_description: expect.stringContaining('credentials are not valid'),
    });
  });

  it('costs one question to registration, whether the client exists or not', async () => {
    const [tpp, gone] = [await around.peers.addTpp(), await around.peers.addTpp()];
    around.peers.deleteTpp(gone);
    const nobody = { ...tpp, clientId: randomUUID() };
    for (const shown of [{ ...tpp, clientSecret: 'x'.repeat(43) }, nobody, gone]) {
      const { clientId, clientSecret, qwac } = shown;
      const before = around.peers.verified().length;
      const authorization = basic(clientId, clientSecret);
      expect((await requestToken(origin, { ...tokenHeaders(shown), authorization })).status).toBe(401);
      const certificateThumbprint = createHash('sha256').update(qwac.chain[0]!).digest('base64url');
      expect(around.peers.verified().slice(before)).toEqual([
        { clientId, clientSecret, certificateThumbprint },
      ]);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['no Authorization', {}],
    ['a Bearer token', { authorization: 'Bearer abc' }],
    ['broken Basic', { authorization: 'Basic %%%' }],
  ])('is invalid_client with %s', async (_what, headers) => {
    const { certificateHeaders } = await around.peers.addTpp();
    const answer = await requestToken(origin, { ...certificateHeaders, ...headers });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it('is refused with the first failed check when its certificate has expired', async () => {
    const tpp = await around.peers.addTpp({ notAfter: new Date(Date.now() - 120_000) });
    const answer = await requestToken(origin, tokenHeaders(tpp));
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect(answer.body.error_description).toMatch(/^validity.*: /);
  });

  it('is invalid_client with a certificate that grants no role here', async () => {
    const tpp = await around.peers.addTpp({ certificateRoles: [] });
    expect((await requestToken(origin, tokenHeaders(tpp))).status).toBe(401);
  });
});

describe('failed attempts for a client id over a certificate (§4.1)', () => {
  const wrong = (tpp: TestTpp, over: TestTpp = tpp, clientId = tpp.clientId) =>
    requestToken(origin, { ...over.certificateHeaders, authorization: basic(clientId, 'x'.repeat(43)) });

  it('are 20 a minute, also concurrently, then 429 with Retry-After in the form of RFC 6749', async () => {
    const tpp = await around.peers.addTpp();
    const answers = await Promise.all(Array.from({ length: 30 }, () => wrong(tpp)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(10);
    expect(refused[0]!.body).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringMatching(/^Too many failed client authentications .* in \d+ s\.$/),
    });
    const seconds = Number(refused[0]!.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused[0]!.headers.get('www-authenticate')).toBeNull();
    // The correct credentials are refused, too.
    expect((await requestToken(origin, tokenHeaders(tpp))).status).toBe(429);
  });

  it('over another certificate block neither the owner nor the other’s own client', async () => {
    const [owner, attacker] = [await around.peers.addTpp(), await around.peers.addTpp()];
    const answers = await Promise.all(Array.from({ length: 200 }, () => wrong(owner, attacker)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(180);
    expect((await requestToken(origin, tokenHeaders(owner))).status).toBe(200);
    expect((await requestToken(origin, tokenHeaders(attacker))).status).toBe(200);
  });

  it('count the same for known and unknown clients', async () => {
    const [tpp, attacker] = [await around.peers.addTpp(), await around.peers.addTpp()];
    const nobody = randomUUID();
    for (let i = 0; i < 21; i++) {
      const [known, unknown] = [await wrong(tpp, attacker), await wrong(tpp, attacker, nobody)];
      expect([unknown.status, unknown.body.error]).toEqual([known.status, known.body.error]);
      expect(known.status).toBe(i < 20 ? 401 : 429);
    }
  });

  it('do not include successful attempts, however many are concurrent', async () => {
    const tpp = await around.peers.addTpp();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => requestToken(origin, tokenHeaders(tpp))),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('are as many as configured', async () => {
    const strict = await around.start({ FAILED_AUTHENTICATIONS_PER_MINUTE: '1' });
    const tpp = await around.peers.addTpp();
    const headers = { ...tpp.certificateHeaders, authorization: basic(tpp.clientId, 'wrong') };
    expect((await requestToken(strict.origin, headers)).status).toBe(401);
    expect((await requestToken(strict.origin, headers)).status).toBe(429);
  });
});

describe('failed attempts of an organization with invented client ids (§4.1)', () => {
  it('are limited as configured, then 429 with Retry-After without asking registration', async () => {
    const [attacker, neighbour] = [await around.peers.addTpp(), await around.peers.addTpp()];
    const own = await around.start({ FAILED_AUTHENTICATIONS_PER_ORGANIZATION: '30' });
    const guess = () =>
      requestToken(own.origin, {
        ...attacker.certificateHeaders,
        authorization: basic(randomUUID(), 'x'.repeat(43)),
      });
    // The organization's own credentials first: accepted ones stay cached.
    const issued = async () => (await requestToken(own.origin, tokenHeaders(attacker))).status;
    await until(async () => (await issued()) === 200, { what: 'its own token' });
    const answers = await Promise.all(Array.from({ length: 60 }, guess));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(30);
    expect(refused.length).toBeGreaterThanOrEqual(30);
    expect(refused.filter(({ headers }) => Number(headers.get('retry-after')) < 1)).toEqual([]);
    await until(async () => (await guess()).status === 429, { what: 'the bound' });
    const last = await guess();
    expect(last).toMatchObject({
      status: 429,
      body: {
        error: 'temporarily_unavailable',
        error_description: expect.stringMatching(/certificates of this organization; .* in \d+ s\.$/),
      },
    });
    around.peers.silence();
    // The answer comes without a call to registration, which hangs.
    expect((await guess()).status).toBe(429);
    around.peers.speak();
    expect((await requestToken(own.origin, tokenHeaders(neighbour))).status).toBe(200);
    expect(await issued()).toBe(200);
  });
});

describe('a malformed token request (RFC 6749 §5.2)', () => {
  const grant = 'grant_type=client_credentials';
  it.each([
    ['no grant_type', 'scope=PSP_AI', 400, 'invalid_request'],
    ['an empty grant_type', 'grant_type=', 400, 'invalid_request'],
    ['another grant', 'grant_type=password&username=x&password=y', 400, 'unsupported_grant_type'],
    ['a repeated parameter', `${grant}&${grant}`, 400, 'invalid_request'],
    ['an unknown parameter twice', `${grant}&__proto__=1&__proto__=2`, 400, 'invalid_request'],
    ['an unknown scope', `${grant}&scope=openid`, 400, 'invalid_scope'],
    ['the longest scope', `${grant}&scope=${'x'.repeat(1_024)}`, 400, 'invalid_scope'],
    ['a longer scope', `${grant}&scope=${'x'.repeat(1_025)}`, 400, 'invalid_request'],
    [
      'the longest refresh token',
      `grant_type=refresh_token&refresh_token=${'x'.repeat(4_096)}`,
      400,
      'invalid_grant',
    ],
    ['a longer one', `grant_type=refresh_token&refresh_token=${'x'.repeat(4_097)}`, 400, 'invalid_request'],
    ['the secret in the body as well', `${grant}&client_secret=x`, 400, 'invalid_request'],
    ['the id of another client', `${grant}&client_id=x`, 400, 'invalid_request'],
    ['an empty body', '', 400, 'invalid_request'],
    ['more than 64 KB', `${grant}&a=${'x'.repeat(65_536)}`, 413, 'invalid_request'],
  ])('is refused with %s', async (_what, form, status, error) => {
    const answer = await requestToken(origin, tokenHeaders(await around.peers.addTpp()), form);
    expect(answer.body).toEqual({ error, error_description: expect.stringMatching(/^[\x20-\x7e]+$/) });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('may hold unknown parameters of any name', async () => {
    const headers = tokenHeaders(await around.peers.addTpp());
    expect((await requestToken(origin, headers, `${grant}&__proto__=1&toString=3`)).status).toBe(200);
    expect((await requestToken(origin, headers, `${grant}&client_id=${randomUUID()}`)).status).toBe(400);
  });

  it('gets an error that names HTTP Basic for credentials in the body', async () => {
    const tpp = await around.peers.addTpp();
    const form = {
      grant_type: 'client_credentials',
      client_id: tpp.clientId,
      client_secret: tpp.clientSecret,
    };
    const answer = await requestToken(origin, tpp.certificateHeaders, form);
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    expect(answer.body.error_description).toContain('HTTP Basic');
  });

  it('is refused as JSON, and with parameters in the query (RFC 6749 §2.3.1)', async () => {
    const tpp = await around.peers.addTpp();
    const json = { ...tokenHeaders(tpp), 'content-type': 'application/json' };
    expect((await requestToken(origin, json)).status).toBe(415);
    const query = await fetch(`${origin}/oauth2/token?client_id=${tpp.clientId}`, {
      method: 'POST',
      headers: { ...tokenHeaders(tpp), 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    expect(query.status).toBe(400);
    expect(await query.json()).toMatchObject({ error: 'invalid_request' });
  });

  it('is refused with GET', async () => {
    const answer = await fetch(`${origin}/oauth2/token`, {
      headers: tokenHeaders(await around.peers.addTpp()),
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('cached credentials (§4.1)', () => {
  it('are accepted without registration until the directory’s lease ends', async () => {
    const tpp = await around.peers.addTpp();
    const issued = async (headers = tokenHeaders(tpp)) => (await requestToken(origin, headers)).status;
    // The directory learns of the registration a moment later.
    for (let i = 0; i < 10; i++) expect(await issued()).toBe(200);
    around.peers.silence();
    expect(await issued()).toBe(200);
    const wrong = { ...tokenHeaders(tpp), authorization: basic(tpp.clientId, 'x'.repeat(43)) };
    expect(await issued(wrong)).toBe(503);
    await until(async () => (await issued()) === 503, { what: 'the end of the lease' });
    around.peers.speak();
    await until(async () => (await issued()) === 200, { what: 'a token' });
  });

  it('are refused once the client is deleted', async () => {
    const tpp = await around.peers.addTpp();
    for (let i = 0; i < 10; i++) expect((await requestToken(origin, tokenHeaders(tpp))).status).toBe(200);
    around.peers.deleteTpp(tpp);
    await until(async () => (await requestToken(origin, tokenHeaders(tpp))).status === 401, {
      what: 'the deletion',
    });
    expect((await requestToken(origin, tokenHeaders(tpp))).status).toBe(401);
  });
});

describe('while registration hangs', () => {
  it('a token request gets 503 in bounded time, and a token as soon as registration answers', async () => {
    const tpp = await around.peers.addTpp();
    around.peers.silence();
    const started = performance.now();
    const answer = await requestToken(origin, tokenHeaders(tpp));
    around.peers.speak();
    expect(performance.now() - started).toBeLessThan(4_000);
    expect([answer.status, answer.body.error]).toEqual([503, 'temporarily_unavailable']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await until(async () => (await requestToken(origin, tokenHeaders(tpp))).status === 200, {
      what: 'a token',
    });
  });
});

describeRouteSecurity({
  service: auth,
  addresses: () => addresses,
  peers: () => around.peers,
});
