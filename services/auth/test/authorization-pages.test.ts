import { randomBytes, randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { hashBrowserKey, sealRequest } from '../src/authorization/sealed-request.ts';
import { asked, authorizeUrl, pkce, REDIRECT, TestBrowser, type Visit } from './browser.ts';
import { expectGuarded, formsOf, headingOf, onwardsOf } from './page.ts';
import { openPagesScene, type PagesScene } from './pages-scene.ts';
import { authorizationKeysOf, sql, type Surroundings } from './running.ts';

const NAME = 'Fjord & <b>Budget</b> "ApS"';
const WRITTEN = 'Fjord &amp; &lt;b&gt;Budget&lt;/b&gt; &quot;ApS&quot;';
const ORGANIZATION = 'PSDDK-DFSA-<i>12</i>';
const ORGANIZATION_WRITTEN = 'PSDDK-DFSA-&lt;i&gt;12&lt;/i&gt;';

let scene: PagesScene;
let around: Surroundings;
let userOrigin: string;
let tpp: TestTpp;

beforeAll(async () => {
  scene = await openPagesScene(NAME, ORGANIZATION);
  ({ around, userOrigin, tpp } = scene);
}, 120_000);
afterAll(() => around.close());
beforeEach(() => scene.forget());

describe('GET /authorize/{requestId} (§5.9)', () => {
  it('lists the simulated users and preselects the one of login_hint', async () => {
    const { page } = await scene.begin({ login_hint: 'private-no' });
    expect(page.status).toBe(200);
    expectGuarded(page);
    expect(headingOf(page)).toBe('Who are you?');
    const { choices } = formsOf(page).user!;
    expect(choices.length).toBeGreaterThan(5);
    expect(choices.flatMap(({ checked }, index) => (checked ? [index] : []))).toEqual([4]);
    expect(page.text).not.toContain('account.');
  });

  it.each([
    ['da', 'da'],
    ['no', 'nb'],
    ['fr sv-SE en', 'sv'],
    ['DA-dk', 'da'],
    ['fr', 'en'],
  ])('uses the first supported language of ui_locales: of %s %s', async (locales, language) => {
    const { page } = await scene.begin({ ui_locales: locales });
    expect(page.text).toContain(`<html lang="${language}">`);
    expect(page.headers.get('content-language')).toBe(language);
  });

  it.each([undefined, 'nobody'])('chooses the first for the hint %s', async (hint) => {
    const { choices } = formsOf((await scene.begin({ login_hint: hint })).page).user!;
    expect(choices.flatMap(({ checked }, index) => (checked ? [index] : []))).toEqual([0]);
  });

  it('shows who asks, as text, for what, and until when', async () => {
    const details = JSON.stringify([{ type: 'accounts', validDays: 1 }]);
    const { page } = await scene.identified({ scope: 'PSP_AI', authorization_details: details });
    expectGuarded(page);
    expect(headingOf(page)).toBe(`${WRITTEN} asks for access to your accounts`);
    expect(page.text).toContain(
      `The certificate of ${WRITTEN} names the authority DK-DFSA and the organization ${ORGANIZATION_WRITTEN}.`,
    );
    expect(page.text).not.toContain('<b>');
    const days = [86_400_000, 86_400_000 - 60_000].map((ahead) =>
      new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/Copenhagen' }).format(
        new Date(Date.now() + ahead),
      ),
    );
    const [, until_] = /<p>Until (.*?)\. You can/.exec(page.text)!;
    expect(days).toContain(until_);
  });

  it.each([
    ['PSP_AI', [true, true, false, false]],
    ['PSP_PI', [false, false, true, true]],
    ['PSP_AI PSP_PI', [true, true, true, true]],
  ])('lists exactly the rights of %s', async (scope, told) => {
    const { page } = await scene.identified({ scope });
    const rights = ['see name, number', 'see their transactions', 'prepare payments', 'enough money'];
    expect(rights.map((words) => page.text.includes(words))).toEqual(told);
    expect(page.text).not.toContain('aria-invalid');
  });

  it.each([
    ['nonsense', () => 'abc'],
    ['one that was sealed elsewhere', () => randomBytes(300).toString('base64url')],
    ['an endless one', () => 'x'.repeat(9_000)],
    ['one that cannot be', () => encodeURIComponent('<script>')],
  ])('is 404 for %s', async (_what, id) => {
    const page = await new TestBrowser().visit(`${userOrigin}/authorize/${id()}`);
    expect(page.status).toBe(404);
    expectGuarded(page);
    expect(headingOf(page)).toBe('This request is not open here');
  });

  /** A sealed request that was opened in the browser and ends at `expiresAt`. */
  async function sealed(browser: TestBrowser, expiresAt: Date): Promise<string> {
    const { requests } = await authorizationKeysOf(around);
    return sealRequest(requests, 'opened', {
      authorizationId: randomUUID(),
      clientId: tpp.clientId,
      isPushed: false,
      scopes: ['PSP_AI'],
      redirectUri: REDIRECT,
      codeChallenge: pkce().challenge,
      consentDays: 180,
      browserKeyHash: hashBrowserKey(browser.cookies.get('__Host-kontoport-browser')!),
      expiresAt,
    });
  }

  it.each([
    ['is shown until its time is over', 60_000, 200],
    ['is 404 then', -1, 404],
  ])('%s', async (_what, ahead, status) => {
    const { browser } = await scene.begin();
    const id = await sealed(browser, new Date(Date.now() + ahead));
    expect((await browser.visit(`${userOrigin}/authorize/${id}`)).status).toBe(status);
    expect((await browser.visit(`${userOrigin}/authorize/${id}/user`)).status).toBe(status);
  });

  it('is 404 in every browser but the one that opened it, the one without cookies included', async () => {
    const { path } = await scene.begin();
    const other = await scene.begin();
    for (const browser of [other.browser, new TestBrowser()])
      expect((await browser.visit(userOrigin + path)).status).toBe(404);
  });

  it('is 404 when its client is deleted', async () => {
    const gone = await around.peers.addTpp();
    const browser = new TestBrowser();
    const { location } = await until(
      async () => {
        const visit = await browser.visit(authorizeUrl(userOrigin, asked(gone.clientId)));
        return visit.status === 303 && visit;
      },
      { what: 'the TPP to be known' },
    );
    expect((await browser.visit(userOrigin + location!)).status).toBe(200);
    around.peers.deleteTpp(gone);
    await until(async () => (await browser.visit(userOrigin + location!)).status === 404, {
      what: 'the deletion',
    });
  });

  it('identifies no user without the proof of this browser', async () => {
    const { page, browser, path, userId } = await scene.identified();
    const { proof } = Object.fromEntries(new URL(page.text, userOrigin).searchParams);
    expect(proof).toBeUndefined();
    const other = await scene.identified();
    const theirs = formsOf(other.page).approve!.fields.token!;
    for (const query of [`user=${userId}`, `user=${userId}&proof=x`, `user=${userId}&proof=${theirs}`]) {
      const shown = await browser.visit(`${userOrigin}${path}?${query}`);
      expect(headingOf(shown)).toBe('Who are you?');
    }
  });

  it('is 503, as a page, while account-information is away', async () => {
    const { userOrigin: alone, close } = await around.start({ ACCOUNTS_GRPC: '127.0.0.1:1' });
    const browser = new TestBrowser();
    const { location } = await until(
      async () => {
        const visit = await browser.visit(authorizeUrl(alone, asked(tpp.clientId)));
        return visit.status === 303 && visit;
      },
      { what: 'the TPP to be known' },
    );
    const page = await browser.visit(alone + location!);
    expect(page.status).toBe(503);
    expectGuarded(page);
    expect(page.text).toContain('Nothing has been lost.');
    await close();
  });
});

describe('POST /authorize/{requestId}/user (§5.9)', () => {
  it('starts a session with a new secret, which the database does not hold', async () => {
    const { browser } = await scene.identified();
    const first = browser.cookies.get('__Host-kontoport-session')!;
    expect(first).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const rows = await sql<{ id_hash: Buffer }>(around.database.url, 'SELECT id_hash FROM user_session');
    expect(rows.some(({ id_hash: hash }) => hash.equals(hashBrowserKey(first)))).toBe(true);
    expect(rows.some(({ id_hash: hash }) => hash.toString('base64url') === first)).toBe(false);
    const { user } = formsOf(await browser.visit(userOrigin + (await scene.open({}, browser)).location!));
    const { headers } = await browser.send(userOrigin + user!.action, {
      ...user!.fields,
      user: user!.choices[1]!.value,
    });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-kontoport-session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    expect(browser.cookies.get('__Host-kontoport-session')).not.toBe(first);
    const after = await sql<{ id_hash: Buffer }>(around.database.url, 'SELECT id_hash FROM user_session');
    expect(after.some(({ id_hash: hash }) => hash.equals(hashBrowserKey(first)))).toBe(false);
  });

  it.each([
    ['nobody', {}],
    ['who is none of the users', { user: randomUUID() }],
  ])('asks again for %s', async (_who, chosen) => {
    const { browser, page, path } = await scene.begin();
    const { user } = formsOf(page);
    const { status, location, headers } = await browser.send(userOrigin + user!.action, {
      ...user!.fields,
      ...chosen,
    });
    expect([status, location, headers.getSetCookie()]).toEqual([303, `${path}/user`, []]);
  });
});

describe('POST /authorize/{requestId}/approve (§5.9)', () => {
  it('leads back by a page, not a redirect, with code, state and iss', async () => {
    const { browser, approve, yes, userId } = await scene.identified({ scope: 'PSP_PI' });
    const page = await browser.send(userOrigin + approve.action, yes);
    expect(page.status).toBe(200);
    expectGuarded(page);
    const onwards = onwardsOf(page);
    expect(onwards.origin + onwards.pathname).toBe(REDIRECT);
    expect([...onwards.searchParams.keys()]).toEqual(['code', 'state', 'iss']);
    expect(onwards.searchParams.get('state')).toBe('the state');
    expect(onwards.searchParams.get('iss')).toBe(around.env.TOKEN_ISSUER);
    expect(page.text).toContain(`href="${onwards.href.replaceAll('&', '&amp;')}"`);
    const accountId = approve.choices[0]!.name.slice('account.'.length);
    expect(await scene.decisions()).toEqual([
      { outcome: 'APPROVED', user_id: userId, account_ids: [accountId], days: 180, roles: ['PSP_PI'] },
    ]);
  });

  it('stores the chosen accounts and the requested days', async () => {
    const details = JSON.stringify([{ type: 'accounts', validDays: 7 }]);
    const { browser, approve } = await scene.identified({ authorization_details: details });
    const all = Object.fromEntries(approve.choices.map(({ name }) => [name, 'on']));
    expect(Object.keys(all).length).toBeGreaterThan(1);
    await browser.send(userOrigin + approve.action, { ...approve.fields, ...all });
    const [decision] = await scene.decisions();
    expect(decision!.days).toBe(7);
    expect(decision!.account_ids.toSorted()).toEqual(
      Object.keys(all)
        .map((name) => name.slice('account.'.length))
        .toSorted(),
    );
  });

  it('returns to the page with a message when no account is chosen', async () => {
    const { browser, approve } = await scene.identified();
    const { status, location } = await browser.send(userOrigin + approve.action, approve.fields);
    expect(status).toBe(303);
    const page = await browser.visit(userOrigin + location!);
    expect(page.text).toContain('role="alert" id="fault">Choose at least one account, or cancel.');
    expect(page.text).toContain('aria-invalid="true" aria-describedby="fault"');
    expect(await scene.decisions()).toEqual([]);
  });

  it('answers the same when it is sent twice at once, and once more', async () => {
    const { browser, approve, yes } = await scene.identified();
    const send = (): Promise<Visit> => browser.send(userOrigin + approve.action, yes);
    const answers = [...(await Promise.all([send(), send()])), await send()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map((answer) => onwardsOf(answer).href)).size).toBe(1);
    expect(await scene.decisions()).toHaveLength(1);
  });

  it.each([
    ['has ended', "decided_at = decided_at - interval '61 s'"],
    ['was used', 'redeemed_at = now()'],
  ])('is 409 when it is sent again and the code %s', async (_what, change) => {
    const { browser, approve, yes } = await scene.identified();
    await browser.send(userOrigin + approve.action, yes);
    await sql(around.database.url, `UPDATE authorization_decision SET ${change}`);
    const again = await browser.send(userOrigin + approve.action, yes);
    expect([again.status, headingOf(again)]).toEqual([409, 'You have already answered']);
    expect(again.text).not.toContain('code=');
  });

  it('is 409 after a refusal, and so are the pages of a decided request', async () => {
    const { browser, path, approve, refuse, yes } = await scene.identified();
    await browser.send(userOrigin + refuse.action, refuse.fields);
    const late = await browser.send(userOrigin + approve.action, yes);
    for (const page of [
      late,
      await browser.visit(userOrigin + path),
      await browser.visit(`${userOrigin + path}/user`),
    ]) {
      expect(page.status).toBe(409);
      expectGuarded(page);
      expect(headingOf(page)).toBe('You have already answered');
    }
    expect(await scene.decisions()).toMatchObject([{ outcome: 'REFUSED' }]);
  });
});

describe('POST /authorize/{requestId}/refuse (§5.9)', () => {
  it('leads back with access_denied, state and iss, also without an identified user', async () => {
    const { browser, page } = await scene.begin();
    const { refuse } = formsOf(page);
    const answer = await browser.send(userOrigin + refuse!.action, refuse!.fields);
    expect(answer.status).toBe(200);
    const told = onwardsOf(answer).searchParams;
    expect([told.get('error'), told.get('state'), told.get('iss'), told.get('code')]).toEqual([
      'access_denied',
      'the state',
      around.env.TOKEN_ISSUER,
      null,
    ]);
    expect(await scene.decisions()).toMatchObject([{ outcome: 'REFUSED', user_id: null }]);
  });

  it('is 409 after an approval', async () => {
    const { browser, approve, refuse, yes } = await scene.identified();
    await browser.send(userOrigin + approve.action, yes);
    expect((await browser.send(userOrigin + refuse.action, refuse.fields)).status).toBe(409);
    expect(await scene.decisions()).toMatchObject([{ outcome: 'APPROVED' }]);
  });
});
