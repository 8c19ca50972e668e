import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { openSealedRequest } from '../src/authorization/sealed-request.ts';
import { asked, authorizeUrl, REDIRECT, TestBrowser, type Visit } from './browser.ts';
import { type Origins, post } from './code-flow.ts';
import { authorizationKeysOf, countOf, sql, surroundAuth, type Surroundings } from './running.ts';

let around: Surroundings;
let at: Origins;
let userOrigin: string;
let tpp: TestTpp;

beforeAll(async () => {
  around = await surroundAuth();
  at = await around.start();
  ({ userOrigin } = at);
  tpp = await around.peers.addTpp();
  await known(tpp);
});
afterAll(() => around.close());

const open = (
  changes: Record<string, string | undefined> = {},
  browser = new TestBrowser(),
): Promise<Visit> => browser.visit(authorizeUrl(userOrigin, asked(tpp.clientId, changes)));

/** Waits until the directory knows a new TPP. */
const known = ({ clientId }: TestTpp): Promise<unknown> =>
  until(
    async () => (await new TestBrowser().visit(authorizeUrl(userOrigin, asked(clientId)))).status === 303,
    { what: 'the TPP to be known' },
  );

/** Returns the parameters at the redirect URI after a request with these changes. */
async function refusal(changes: Record<string, string | undefined>): Promise<URLSearchParams> {
  const { status, location = '', told } = await open(changes);
  expect(status).toBe(303);
  expect(location.startsWith(`${REDIRECT}?`)).toBe(true);
  expect(told.get('iss')).toBe(around.env.TOKEN_ISSUER);
  expect(told.get('code')).toBeNull();
  return told;
}

describe('GET /oauth2/authorize (§5.9; RFC 6749 §4.1.1)', () => {
  it('leads the browser to the page of its request, and stores nothing', async () => {
    const { status, location, headers } = await open();
    expect(status).toBe(303);
    expect(location).toMatch(/^\/authorize\/[A-Za-z0-9_-]{100,1000}$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(await countOf(around.database.url, 'authorization_decision')).toBe(0);
  });

  it('keeps its request open for 15 minutes', async () => {
    const { requests } = await authorizationKeysOf(around);
    const before = Date.now();
    const text = (await open()).location!.slice('/authorize/'.length);
    const { expiresAt } = openSealedRequest(requests, 'opened', { text, now: new Date() })!;
    expect(expiresAt.getTime()).toBeGreaterThanOrEqual(before + 900_000);
    expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 900_000);
  });

  it('gives each browser one key that no script, other site or other host can read', async () => {
    const browser = new TestBrowser();
    const { headers } = await open({}, browser);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-kontoport-browser=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    const first = new Map(browser.cookies);
    await open({}, browser);
    expect(browser.cookies).toEqual(first);
    const other = new TestBrowser();
    await open({}, other);
    expect(other.cookies).not.toEqual(first);
  });

  it('accepts an id in capitals and unknown parameters, and ignores empty ones', async () => {
    for (const changes of [
      { client_id: tpp.clientId.toUpperCase() },
      { resource: 'https://x.test', nonce: 'n' },
      { scope: '', prompt: '', login_hint: '', authorization_details: '', state: '' },
    ])
      expect((await open(changes)).location).toMatch(/^\/authorize\//);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['no client', { client_id: undefined }],
    ['a client that is none', { client_id: randomUUID() }],
    ['a client id that is none', { client_id: 'x' }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['another redirect URI', { redirect_uri: 'https://evil.test/callback' }],
    ['a slash behind it', { redirect_uri: `${REDIRECT}/` }],
    ['a query behind it', { redirect_uri: `${REDIRECT}?a=b` }],
    ['a fragment behind it', { redirect_uri: `${REDIRECT}#a` }],
    ['a way back in it', { redirect_uri: 'https://tpp.test/x/../callback' }],
    ['another case', { redirect_uri: 'https://TPP.test/callback' }],
    ['its port written out', { redirect_uri: 'https://tpp.test:443/callback' }],
    ['an escape in it', { redirect_uri: 'https://tpp.test/%63allback' }],
    ['another host before it', { redirect_uri: 'https://tpp.test@evil.test/callback' }],
    ['a backslash in it', { redirect_uri: 'https://tpp.test\\@evil.test/callback' }],
    ['another scheme', { redirect_uri: 'javascript:alert(1)//tpp.test/callback' }],
    ['a blank behind it', { redirect_uri: `${REDIRECT} ` }],
    ['a request URI that is none', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }],
    ['a request URI of elsewhere', { request_uri: 'https://evil.test/request' }],
  ])('shows a page and leads nowhere with %s', async (_what, changes) => {
    const { status, location, headers, text } = await open(changes);
    expect([status, location]).toEqual([400, undefined]);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(text).not.toContain('evil');
  });

  it('shows a page for a repeated parameter', async () => {
    const parameters = new URLSearchParams(asked(tpp.clientId));
    parameters.append('redirect_uri', 'https://evil.test/callback');
    const { status, location } = await new TestBrowser().visit(
      authorizeUrl(userOrigin, parameters.toString()),
    );
    expect([status, location]).toEqual([400, undefined]);
  });

  it('shows a page for a deleted client', async () => {
    const gone = await around.peers.addTpp();
    await known(gone);
    around.peers.deleteTpp(gone);
    const visit = (): Promise<Visit> =>
      new TestBrowser().visit(authorizeUrl(userOrigin, asked(gone.clientId)));
    await until(async () => (await visit()).status !== 303, { what: 'the deletion' });
    expect((await visit()).status).toBe(400);
  });

  it('answers 503 with a page while the directory is silent', async () => {
    const other = await surroundAuth();
    try {
      const started = await other.start();
      other.peers.silence();
      await until(async () => (await visitBy(started.userOrigin)).status !== 400, {
        what: 'the lease to end',
      });
      expect((await visitBy(started.userOrigin)).status).toBe(503);
    } finally {
      await other.close();
    }
  });

  const visitBy = (origin: string): Promise<Visit> =>
    new TestBrowser().visit(authorizeUrl(origin, asked(tpp.clientId)));
});

describe('the answer at the redirect URI (RFC 6749 §4.1.2.1, RFC 9207)', () => {
  it.each<[string, Record<string, string | undefined>, string]>([
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['another response mode', { response_mode: 'fragment' }, 'invalid_request'],
    ['a request object', { request: 'eyJ' }, 'request_not_supported'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a challenge without method, which is plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['the method none', { code_challenge_method: 'none' }, 'invalid_request'],
    ['the method in small letters', { code_challenge_method: 's256' }, 'invalid_request'],
    ['a challenge that is too short', { code_challenge: 'x'.repeat(42) }, 'invalid_request'],
    ['a challenge that is too long', { code_challenge: 'x'.repeat(44) }, 'invalid_request'],
    ['a challenge of other letters', { code_challenge: `${'x'.repeat(42)}=` }, 'invalid_request'],
    ['a scope that is none', { scope: 'PSP_XX' }, 'invalid_scope'],
    ['a scope beside one that is none', { scope: 'PSP_AI openid' }, 'invalid_scope'],
    ['a prompt that is none', { prompt: 'perhaps' }, 'invalid_request'],
    ['prompt none beside another', { prompt: 'none login' }, 'invalid_request'],
    ['a hint that is too long', { login_hint: 'x'.repeat(101) }, 'invalid_request'],
    ['details that are no JSON', { authorization_details: '[' }, 'invalid_authorization_details'],
    [
      'details that are too long',
      { authorization_details: details(1).padEnd(2_049) },
      'invalid_authorization_details',
    ],
    ['details of another type', { authorization_details: '[{"type":"x"}]' }, 'invalid_authorization_details'],
    [
      'details that name a field twice',
      { authorization_details: '[{"type":"accounts","validDays":1,"validDays":180}]' },
      'invalid_authorization_details',
    ],
    ['details of none', { authorization_details: '[]' }, 'invalid_authorization_details'],
    ['no day', { authorization_details: details(0) }, 'invalid_authorization_details'],
    ['181 days', { authorization_details: details(181) }, 'invalid_authorization_details'],
    ['half a day', { authorization_details: details(0.5) }, 'invalid_authorization_details'],
  ])('is an error with %s, with state and iss', async (_what, changes, error) => {
    const told = await refusal(changes);
    expect([told.get('error'), told.get('state')]).toEqual([error, 'the state']);
    expect(told.get('error_description')).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  it('accepts the ends of the ranges', async () => {
    for (const changes of [
      { authorization_details: details(1) },
      { authorization_details: details(180) },
      { authorization_details: '[{"type":"accounts"}]' },
      { authorization_details: details(1).padEnd(2_048) },
      { login_hint: 'x'.repeat(100) },
      { state: '~'.repeat(1_024) },
      { prompt: 'login consent' },
      { prompt: 'select_account' },
      { scope: 'PSP_PI PSP_AI' },
      { response_mode: 'query' },
    ])
      expect((await open(changes)).location).toMatch(/^\/authorize\//);
  });

  it('has no state that was too long, not printable or not sent', async () => {
    for (const state of ['x'.repeat(1_025), 'æ', 'a\u0000b']) {
      const told = await refusal({ state });
      expect([told.get('error'), told.get('state')]).toEqual(['invalid_request', null]);
    }
    expect((await refusal({ state: undefined, scope: 'x' })).has('state')).toBe(false);
  });

  it('returns the state character by character', async () => {
    const state = `a b+c%20&d=e#f"'<>\\/?;,~`;
    expect((await refusal({ state, scope: 'x' })).get('state')).toBe(state);
  });

  it('is invalid_scope for a role that the client does not have', async () => {
    const reader = await around.peers.addTpp({ roles: ['PSP_AI'] });
    await known(reader);
    const visit = await new TestBrowser().visit(
      authorizeUrl(userOrigin, asked(reader.clientId, { scope: 'PSP_AI PSP_PI' })),
    );
    expect(visit.told.get('error')).toBe('invalid_scope');
  });

  it('is temporarily_unavailable for prompt=none without account-information', async () => {
    const told = await refusal({ prompt: 'none' });
    expect([told.get('error'), told.get('state')]).toEqual(['temporarily_unavailable', 'the state']);
  });

  it('is server_error without details for a fault of ours', async () => {
    const { body } = await post(at, '/oauth2/par', { tpp, form: asked(tpp.clientId) });
    const pushed = { client_id: tpp.clientId, request_uri: String(body.request_uri) };
    const rename = (from: string, to: string): Promise<object[]> =>
      sql(around.database.url, `ALTER TABLE ${from} RENAME TO ${to}`);
    await rename('authorization_decision', 'elsewhere');
    try {
      const { status, told } = await new TestBrowser().visit(authorizeUrl(userOrigin, pushed));
      expect([status, Object.fromEntries(told)]).toEqual([
        303,
        {
          error: 'server_error',
          error_description: expect.not.stringContaining('authorization_decision'),
          state: 'the state',
          iss: around.env.TOKEN_ISSUER,
        },
      ]);
    } finally {
      await rename('elsewhere', 'authorization_decision');
    }
    expect((await new TestBrowser().visit(authorizeUrl(userOrigin, pushed))).location).toMatch(
      /^\/authorize\//,
    );
  });
});

function details(validDays: number): string {
  return JSON.stringify([{ type: 'accounts', validDays }]);
}
