import { until } from '@kontoport/embedded/wait';
import { type Answer, ask } from '@kontoport/testing/answer';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { openSealedRequest } from '../src/authorization/sealed-request.ts';
import { asked, authorizeUrl, pkce, REDIRECT, TestBrowser, type Visit } from './browser.ts';
import { newCode, type Origins, post, redeem, refresh } from './code-flow.ts';
import {
  authorizationKeysOf,
  basic,
  countOf,
  requestToken,
  sql,
  surroundAuth,
  type Surroundings,
} from './running.ts';

let around: Surroundings;
let plain: Origins;
let fapi: Origins;
let tpp: TestTpp;
let other: TestTpp;

beforeAll(async () => {
  around = await surroundAuth({ accounts: 'sandbox' });
  plain = await around.start();
  fapi = await around.start({ AUTH_PROFILE: 'fapi2' });
  tpp = await around.peers.addTpp();
  other = await around.peers.addTpp();
  await newCode(plain, tpp);
  await newCode(plain, other);
});
afterAll(() => around.close());

const push = (
  form: Record<string, string>,
  {
    by = tpp,
    at = plain,
    headers = {},
  }: { by?: TestTpp; at?: Origins; headers?: Record<string, string> } = {},
): Promise<Answer> => post(at, '/oauth2/par', { tpp: by, form, headers });

const visit = (parameters: Record<string, string>, at = plain): Promise<Visit> =>
  new TestBrowser().visit(authorizeUrl(at.userOrigin, parameters));

async function pushed(changes: Record<string, string | undefined> = {}, at = plain): Promise<string> {
  const { status, body, text } = await push(asked(tpp.clientId, changes), { at });
  if (status !== 201) throw new Error(text);
  return String(body.request_uri);
}

describe('POST /oauth2/par (§4.1; RFC 9126)', () => {
  it('names the request for 90 seconds', async () => {
    const before = Date.now();
    const { status, body, headers } = await push(asked(tpp.clientId));
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{100,}$/),
      expires_in: 90,
    });
    const { requests } = await authorizationKeysOf(around);
    const text = String(body.request_uri).slice('urn:ietf:params:oauth:request_uri:'.length);
    const { expiresAt } = openSealedRequest(requests, 'pushed', { text, now: new Date() })!;
    expect(expiresAt.getTime()).toBeGreaterThanOrEqual(before + 90_000);
    expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 90_000);
  });

  it('uses the pushed parameters only', async () => {
    const request_uri = await pushed({ state: 'pushed', prompt: 'none' });
    const { told, location } = await visit({
      client_id: tpp.clientId,
      request_uri,
      redirect_uri: 'https://evil.test/',
      state: 'changed',
    });
    expect(location?.startsWith(`${REDIRECT}?`)).toBe(true);
    expect([told.get('state'), told.get('iss'), told.has('code')]).toEqual([
      'pushed',
      around.env.TOKEN_ISSUER,
      true,
    ]);
  });

  it('lets a browser load the page twice, but decides once', async () => {
    const parameters = { client_id: tpp.clientId, request_uri: await pushed() };
    const pages = [await visit(parameters), await visit(parameters)];
    expect(pages.map(({ status }) => status)).toEqual([303, 303]);
    const once = { client_id: tpp.clientId, request_uri: await pushed({ prompt: 'none' }) };
    const answers = await Promise.all(Array.from({ length: 10 }, () => visit(once)));
    const codes = answers.flatMap(({ told }) => told.get('code') ?? []);
    expect(new Set(codes).size).toBe(1);
    for (const { status, told } of answers)
      expect(status === 400 || told.get('code') === codes[0]).toBe(true);
    expect((await visit(once)).status).toBe(400);
  });

  it('is valid for its client only, unchanged', async () => {
    const request_uri = await pushed();
    const changed = `${request_uri.slice(0, -1)}${request_uri.endsWith('A') ? 'B' : 'A'}`;
    for (const parameters of [
      { client_id: other.clientId, request_uri },
      { client_id: tpp.clientId, request_uri: changed },
      { client_id: tpp.clientId, request_uri: `${request_uri}x` },
      { client_id: tpp.clientId, request_uri: request_uri.slice(0, 60) },
      { client_id: tpp.clientId, request_uri: request_uri.replace('urn:', 'https:') },
    ])
      expect([(await visit(parameters)).status]).toEqual([400]);
    const page = (await visit({ client_id: tpp.clientId, request_uri })).location!;
    const sealed = page.slice('/authorize/'.length);
    const again = { client_id: tpp.clientId, request_uri: `urn:ietf:params:oauth:request_uri:${sealed}` };
    expect((await visit(again)).status).toBe(400);
  });

  it('keeps its code, however many decisions others make for its client', async () => {
    const { verifier, challenge: code_challenge } = pkce();
    const decide = async (): Promise<string> => {
      const request_uri = await pushed({ prompt: 'none', code_challenge });
      return (await visit({ client_id: tpp.clientId, request_uri })).told.get('code')!;
    };
    const [first, second] = [await decide(), await decide()];
    const flood = async (is_pushed: boolean): Promise<void> => {
      await sql(
        around.database.url,
        `INSERT INTO authorization_decision (authorization_id, client_id, outcome, redirect_uri, code_challenge, account_ids,
           roles, decided_at, is_pushed)
         SELECT gen_random_uuid(), $1, 'REFUSED', 'https://tpp.test/', repeat('x', 43), '{}', '{}', now(), $2
         FROM generate_series(1, 1000)`,
        [tpp.clientId, is_pushed],
      );
    };
    const waiting = (is_pushed: boolean): Promise<unknown[]> =>
      sql(
        around.database.url,
        'SELECT FROM authorization_decision WHERE client_id = $1 AND is_pushed = $2 AND redeemed_at IS NULL',
        [tpp.clientId, is_pushed],
      );
    const theirs = await newCode(plain, other);
    await flood(false);
    await newCode(plain, tpp);
    expect(await waiting(false)).toHaveLength(1_000);
    expect((await redeem(plain, other, theirs)).status).toBe(200);
    expect((await redeem(plain, tpp, { code: first, verifier })).status).toBe(200);
    // The client's own requests reach the same limit, and one more deletes the oldest.
    await flood(true);
    const newest = await decide();
    expect(await waiting(true)).toHaveLength(1_000);
    expect((await redeem(plain, tpp, { code: second, verifier })).body.error).toBe('invalid_grant');
    expect((await redeem(plain, tpp, { code: newest, verifier })).status).toBe(200);
  });

  it('stores nothing', async () => {
    const before = await countOf(around.database.url, 'authorization_decision');
    for (let i = 0; i < 5; i++) expect((await push(asked(tpp.clientId))).status).toBe(201);
    expect(await countOf(around.database.url, 'authorization_decision')).toBe(before);
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    ['another redirect URI', { redirect_uri: `${REDIRECT}/` }, 'invalid_request'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['a request URI', { request_uri: 'urn:x' }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ["another client's id", { client_id: '11111111-1111-4111-8111-111111111111' }, 'invalid_request'],
  ])('is refused with %s', async (_what, changes, error) => {
    const answer = await push(asked(tpp.clientId, changes));
    expect([answer.status, answer.body.error]).toEqual([400, error]);
  });

  it('requires the client authentication of the token endpoint', async () => {
    const form = asked(tpp.clientId);
    const wrong = await push(form, { headers: { authorization: basic(tpp.clientId, 'x') } });
    const foreign = await push(form, { headers: other.certificateHeaders });
    const without = await ask('POST', `${plain.origin}/oauth2/par`, {
      headers: { ...tpp.certificateHeaders, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    for (const answer of [wrong, foreign, without])
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
  });
});

describe('AUTH_PROFILE=fapi2 (§5.9; FAPI 2.0 security profile)', () => {
  const metadata = async ({ origin }: Origins): Promise<Answer['body']> =>
    (await ask('GET', `${origin}/.well-known/oauth-authorization-server`)).body;
  /** Sends a token request that the certificate alone authenticates. */
  const alone = (at: Origins, by: TestTpp, form: Record<string, string>): Promise<Answer> =>
    requestToken(at.origin, by.certificateHeaders, { client_id: tpp.clientId, ...form });

  it('accepts pushed requests only', async () => {
    const direct = await visit(asked(tpp.clientId, { prompt: 'none' }), fapi);
    expect([direct.told.get('error'), direct.told.get('state'), direct.told.get('iss')]).toEqual([
      'invalid_request',
      'the state',
      around.env.TOKEN_ISSUER,
    ]);
    const parameters = { client_id: tpp.clientId, request_uri: await pushed({ prompt: 'none' }, fapi) };
    expect((await visit(parameters, fapi)).told.has('code')).toBe(true);
  });

  it('says so in its metadata, and the plain profile does not', async () => {
    const methods = ['client_secret_basic', 'tls_client_auth'];
    expect(await metadata(fapi)).toMatchObject({
      require_pushed_authorization_requests: true,
      pushed_authorization_request_endpoint: `${around.env.TOKEN_ISSUER}/oauth2/par`,
      authorization_endpoint: `${around.env.USER_URL}/oauth2/authorize`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      tls_client_certificate_bound_access_tokens: true,
      token_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: methods,
    });
    expect(await metadata(plain)).toMatchObject({
      require_pushed_authorization_requests: false,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    });
  });

  it('authenticates a client by its own certificate; the plain profile does not', async () => {
    const grant = { grant_type: 'client_credentials' };
    expect((await alone(fapi, tpp, grant)).status).toBe(200);
    for (const answer of [
      await alone(fapi, other, grant),
      await alone(fapi, tpp, { ...grant, client_id: 'x' }),
      await alone(plain, tpp, grant),
      await requestToken(fapi.origin, tpp.certificateHeaders, grant),
    ])
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
  });

  it('refuses the certificate of a deleted client', async () => {
    const gone = await around.peers.addTpp();
    const grant = { grant_type: 'client_credentials', client_id: gone.clientId };
    const request = () => requestToken(fapi.origin, gone.certificateHeaders, grant);
    await until(async () => (await request()).status === 200, { what: 'the TPP to be known' });
    around.peers.deleteTpp(gone);
    await until(async () => (await request()).status !== 200, { what: 'the deletion' });
    expect((await request()).status).toBe(401);
  });

  it('does not rotate the refresh token', async () => {
    const { verifier, challenge } = pkce();
    const request_uri = await pushed({ prompt: 'none', code_challenge: challenge }, fapi);
    const code = (await visit({ client_id: tpp.clientId, request_uri }, fapi)).told.get('code')!;
    const { body } = await redeem(fapi, tpp, { code, verifier });
    const token = String(body.refresh_token);
    for (const _time of ['first', 'second'])
      expect(await refresh(fapi, tpp, token)).toMatchObject({ status: 200, body: { refresh_token: token } });
  });
});
