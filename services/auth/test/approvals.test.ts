import { createHash, randomUUID } from 'node:crypto';
import { ERROR_CODES } from '@kontoport/errors';
import { REDIRECT, TestBrowser, type Visit } from './browser.ts';
import { expectGuarded, headingOf } from './page.ts';
import { surroundAuth, type Surroundings } from './running.ts';
import { end, keepApproval, keepApproved } from './test-payments.ts';

let around: Surroundings;
let origin: string;
let userOrigin: string;

beforeAll(async () => {
  around = await surroundAuth();
  ({ origin, userOrigin } = await around.start());
});
afterAll(() => around.close());

const visit = (approvalId: string, init: Parameters<TestBrowser['visit']>[1] = {}): Promise<Visit> =>
  new TestBrowser().visit(`${userOrigin}/approvals/${approvalId}`, init);

describe('GET /approvals/{approvalId}, where an authUrl leads (§4.4)', () => {
  it("sends the browser on to the basket's redirectUrl, without certificate or cookie", async () => {
    const redirectUrl = 'https://tpp.test/callback?state=a%20b&x=1#done';
    const { approvalId } = keepApproved(around.payments, { clientId: randomUUID(), redirectUrl });
    const { status, location, headers } = await visit(approvalId);
    expect([status, location, headers.getSetCookie()]).toEqual([303, redirectUrl, []]);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('waits for the bank without a question where the user answers without the page', async () => {
    const approval = keepApproval(around.payments, { clientId: randomUUID(), userId: randomUUID() });
    approval.shown.isAsked = false;
    const page = await visit(approval.approvalId);
    expect([page.status, headingOf(page)]).toEqual([200, 'Confirm with your bank']);
    expectGuarded(page);
    end(approval, 'REJECTED');
    const { status, location } = await visit(approval.approvalId);
    expect([status, location]).toEqual([303, `${REDIRECT}?error=access_denied`]);
  });

  it.each([
    ['an unknown one', randomUUID()],
    ['an impossible one', encodeURIComponent('<script>alert(1)</script>')],
    ['an endless one', 'x'.repeat(5_000)],
  ])('shows a page without script, with exactly its own style, for %s (404)', async (_what, approvalId) => {
    const page = await visit(approvalId);
    expect(page.status).toBe(404);
    expectGuarded(page);
    expect(page.text).toContain('<html lang="en">');
    expect(page.text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1" />');
    expect(page.text).toMatch(/<title>.+<\/title>[\s\S]*<main id="content">\s*<h1>.+<\/h1>/);
    expect(page.text).not.toContain('script');
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page.text)!;
    const digest = createHash('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${digest}'`);
  });

  it.each([
    ['an unknown link', 'no', 'GET', 'a', 404, 'Denne godkjenningslenken er ikke gyldig'],
    ['a malformed path', 'da', 'GET', '%E0%A4%A', 400, ERROR_CODES.FORMAT_ERROR.cause.da],
    ['another method', 'da', 'POST', 'a', 405, ERROR_CODES.METHOD_NOT_ALLOWED.cause.da],
  ])("shows a page in the caller's language for %s", async (_what, language, method, id, status, words) => {
    const page = await visit(id, { method, headers: { 'x-language': language } });
    expect(page.status).toBe(status);
    expect(page.headers.get('content-language')).toBe(language === 'no' ? 'nb' : language);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(page.text).toContain(words);
  });

  it('shows a page to a browser for an unknown path, and JSON to a program', async () => {
    const typeFor = async (accept: string): Promise<unknown[]> => {
      const { status, headers } = await fetch(`${userOrigin}/nothing`, { headers: { accept } });
      return [status, headers.get('content-type')];
    };
    expect(await typeFor('text/html,*/*;q=0.8')).toEqual([404, 'text/html; charset=utf-8']);
    expect(await typeFor('application/json')).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('shows a page with 503 while payments is away', async () => {
    const { userOrigin: alone, close } = await around.start({ PAYMENTS_GRPC: '127.0.0.1:1' });
    const page = await new TestBrowser().visit(`${alone}/approvals/${randomUUID()}`);
    expect(page.status).toBe(503);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    expectGuarded(page);
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
  it('lists exactly what exists', async () => {
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
});
