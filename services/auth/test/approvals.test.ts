import { randomUUID } from 'node:crypto';
import { ERROR_CODES } from '@kontoport/errors';
import { surroundAuth, type Surroundings } from './running.ts';
import { keepApproved } from './test-payments.ts';

let around: Surroundings;
let origin: string;
let userOrigin: string;

beforeAll(async () => {
  around = await surroundAuth();
  ({ origin, userOrigin } = await around.start());
});
afterAll(() => around.close());

const open = (approvalId: string): Promise<Response> =>
  fetch(`${userOrigin}/approvals/${approvalId}`, { redirect: 'manual' });

function expectSafe({ headers }: Response): void {
  const policy = headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
}

function expectAlone({ headers }: Response): void {
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(headers.get('x-frame-options')).toBe('DENY');
}

describe('GET /approvals/{approvalId}, where an authUrl leads (§4.4)', () => {
  it("sends the browser on to the basket's redirectUrl, without certificate", async () => {
    const redirectUrl = 'https://tpp.test/callback?state=a%20b&x=1#done';
    const { approvalId } = keepApproved(around.payments, { clientId: randomUUID(), redirectUrl });
    const response = await open(approvalId);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(redirectUrl);
    expect(response.headers.getSetCookie()).toEqual([]);
    expectSafe(response);
  });

  it.each([
    ['an unknown one', randomUUID()],
    ['one that cannot be', encodeURIComponent('<script>alert(1)</script>')],
    ['an endless one', 'x'.repeat(5_000)],
  ])('shows a page with 404 for %s', async (_what, approvalId) => {
    const response = await open(approvalId);
    const html = await response.text();
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expectSafe(response);
    expectAlone(response);
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(html).toMatch(/<title>.+<\/title>[\s\S]*<main>\s*<h1>.+<\/h1>/);
    expect(html).not.toContain('script');
  });

  it('allows exactly the style of its own page', async () => {
    const response = await open(randomUUID());
    const [, style] = /<style>([\s\S]*)<\/style>/.exec(await response.text())!;
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style)));
    expect(response.headers.get('content-security-policy')).toContain(
      `style-src 'sha256-${digest.toString('base64')}'`,
    );
  });

  it("speaks the caller's language", async () => {
    const response = await fetch(`${userOrigin}/approvals/${randomUUID()}`, {
      headers: { 'x-language': 'no' },
    });
    expect(response.headers.get('content-language')).toBe('nb');
    const html = await response.text();
    expect(html).toContain('<html lang="nb">');
    expect(html).toContain('<h1>Denne godkjenningslenken er ikke gyldig</h1>');
  });

  it('shows a page for every other refusal, too', async () => {
    const response = await fetch(`${userOrigin}/approvals/${randomUUID()}`, {
      headers: { 'x-request-id': 'a b' },
    });
    expect(response.status).toBe(400);
    expectSafe(response);
    expect(await response.text()).toContain('<h1>This page cannot be shown</h1>');
  });

  it.each([
    [
      'a malformed percent-encoding',
      'GET',
      '%E0%A4%A',
      400,
      `${ERROR_CODES.FORMAT_ERROR.cause.da} The path is not valid.`,
    ],
    ['a method that it does not have', 'POST', 'a', 405, ERROR_CODES.METHOD_NOT_ALLOWED.cause.da],
  ])("shows a page in the caller's language for %s", async (_what, method, approvalId, status, words) => {
    const response = await fetch(`${userOrigin}/approvals/${approvalId}`, {
      method,
      headers: { 'x-language': 'da' },
    });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-language')).toBe('da');
    expectSafe(response);
    const html = await response.text();
    expect(html).toContain('<html lang="da">');
    expect(html).toContain(words);
  });

  it('shows a page to a browser that asks for a path which is none, and JSON to a program', async () => {
    const asked = (accept: string): Promise<Response> =>
      fetch(`${userOrigin}/nothing`, { headers: { accept } });
    const page = await asked('text/html,application/xhtml+xml,*/*;q=0.8');
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect((await asked('application/json')).headers.get('content-type')).toBe(
      'application/json; charset=utf-8',
    );
  });

  it('shows a page with 503 while payments is away', async () => {
    const { userOrigin: alone, close } = await around.start({ PAYMENTS_GRPC: '127.0.0.1:1' });
    const response = await fetch(`${alone}/approvals/${randomUUID()}`);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.text()).toContain('<h1>');
    expectSafe(response);
    await close();
  });
});

describe('the two addresses of auth (§4)', () => {
  it.each([
    ['auth_url', '/approvals/1'],
    ['user_url', '/oauth2/token'],
    ['user_url', '/.well-known/jwks.json'],
  ])('%s does not answer %s', async (address, path) => {
    const response = await fetch((address === 'auth_url' ? origin : userOrigin) + path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ errorCode: 'ROUTE_UNKNOWN' });
  });
});

describe('GET /.well-known/oauth-authorization-server (RFC 8414)', () => {
  it('says what exists, and nothing else', async () => {
    const response = await fetch(`${origin}/.well-known/oauth-authorization-server`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(await response.json()).toEqual({
      issuer: 'https://auth.bank.test',
      token_endpoint: 'https://auth.bank.test/oauth2/token',
      jwks_uri: 'https://auth.bank.test/.well-known/jwks.json',
      revocation_endpoint: 'https://auth.bank.test/oauth2/revoke',
      revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
      service_documentation: 'https://auth.bank.test/documentation',
      scopes_supported: ['PSP_AI', 'PSP_PI'],
      authorization_endpoint: 'https://user.bank.test/oauth2/authorize',
      pushed_authorization_request_endpoint: 'https://auth.bank.test/oauth2/par',
      require_pushed_authorization_requests: false,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_details_types_supported: ['accounts'],
      ui_locales_supported: ['en', 'da', 'sv', 'nb'],
      authorization_response_iss_parameter_supported: true,
      grant_types_supported: ['client_credentials', 'authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      tls_client_certificate_bound_access_tokens: true,
    });
  });

  it('stands beside nothing else', async () => {
    const response = await fetch(`${origin}/oauth2/authorize`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ errorCode: 'ROUTE_UNKNOWN' });
  });
});
