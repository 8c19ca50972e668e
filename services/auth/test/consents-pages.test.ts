import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { call, createClient } from '@kontoport/grpc';
import { ConsentsServiceClient } from '@kontoport/proto/accounts/v1';
import type { TestTpp } from '@kontoport/testing/fake-peers';
import { hashBrowserKey } from '../src/authorization/sealed-request.ts';
import { TestBrowser, type Visit } from './browser.ts';
import { expectGuarded, formsOf, headingOf } from './page.ts';
import { countOf, sql, surroundAuth, type Surroundings, USER_URL } from './running.ts';

const SESSION = '__Host-kontoport-session';
const DAY_MS = 86_400_000;

let around: Surroundings;
let userOrigin: string;
let consents: ConsentsServiceClient;
let tpp: TestTpp;
let neighbour: TestTpp;

beforeAll(async () => {
  around = await surroundAuth({ accounts: 'sandbox' });
  ({ userOrigin } = await around.start());
  consents = createClient(ConsentsServiceClient, around.accounts!.address);
  tpp = await around.peers.addTpp({ displayName: 'Fjord & Budget' });
  neighbour = await around.peers.addTpp({ displayName: 'Neighbour' });
  await until(async () => (await loginPage(neighbour)).status === 200, { what: 'the TPPs to be known' });
}, 120_000);
afterAll(async () => {
  consents.close();
  await around.close();
});

const loginPage = ({ clientId }: TestTpp, browser = new TestBrowser(), hint = ''): Promise<Visit> =>
  browser.visit(`${userOrigin}/consents?client_id=${clientId}${hint && `&login_hint=${hint}`}`);

/** A browser in which a simulated user of the client is logged in. */
async function loggedIn(client = tpp, hint = 'private-dk') {
  const browser = new TestBrowser();
  const { login } = formsOf(await loginPage(client, browser, hint));
  const { value: userId } = login!.choices.find(({ checked }) => checked)!;
  const answer = await browser.send(userOrigin + login!.action, { ...login!.fields, user: userId });
  expect([answer.status, answer.location]).toEqual([303, '/consents']);
  return { browser, userId };
}

/** Gives the client the user's consent, for all their accounts. */
async function give(userId: string, { clientId } = tpp, roles = ['PSP_AI', 'PSP_PI']): Promise<string> {
  // The first call of a cold service takes long on a busy machine.
  const patient = { deadlineMs: 20_000 };
  const { accounts } = await call(consents, consents.listUserAccounts, { clientId, userId }, patient);
  const consentId = randomUUID();
  const validUntil = new Date(Date.now() + 90 * DAY_MS);
  const accountIds = accounts.map(({ accountId }) => accountId);
  const asked = { consentId, clientId, userId, accountIds, roles, validUntil };
  await call(consents, consents.createConsent, asked, patient);
  return consentId;
}

const show = (browser: TestBrowser, path = '/consents'): Promise<Visit> => browser.visit(userOrigin + path);
const revocable = ({ text }: Visit): string[] =>
  [...text.matchAll(/href="\/consents\/([0-9a-f-]{36})\/revoke"/g)].map(([, id]) => id!);
const isRevoked = async (consentId: string): Promise<boolean> => {
  const { consent } = await call(consents, consents.getConsent, { consentId, clientId: tpp.clientId });
  return consent!.revokedAt !== undefined;
};
const hashOf = (browser: TestBrowser): string =>
  hashBrowserKey(browser.cookies.get(SESSION)!).toString('hex');
const expiryOf = async (browser: TestBrowser): Promise<Date> => {
  const [row] = await sql<{ expires_at: Date }>(
    around.database.url,
    'SELECT expires_at FROM user_session WHERE id_hash = $1',
    [hashBrowserKey(browser.cookies.get(SESSION)!)],
  );
  return row!.expires_at;
};
/** Moves the times of a session into the past. */
const age = (browser: TestBrowser, by: string) =>
  sql(
    around.database.url,
    'UPDATE user_session SET started_at = started_at - $2::interval, expires_at = expires_at - $2::interval WHERE id_hash = $1',
    [hashBrowserKey(browser.cookies.get(SESSION)!), by],
  );

describe('GET /consents (§5.9)', () => {
  it('shows a logged-in user their own consents, live and ended', async () => {
    const { browser, userId } = await loggedIn(tpp, 'private-se');
    const [given, ended] = [await give(userId), await give(userId, tpp, ['PSP_PI'])];
    await call(consents, consents.revokeConsent, { consentId: ended, userId });
    const foreign = await loggedIn(tpp, 'private-no');
    const theirs = await give(foreign.userId);
    const page = await show(browser);
    expect([page.status, headingOf(page)]).toEqual([200, 'Your consents']);
    expectGuarded(page);
    expect(revocable(page)).toContain(given);
    expect(revocable(page)).not.toContain(ended);
    expect(revocable(page)).not.toContain(theirs);
    expect(page.text).toContain('<h3>Fjord &amp; Budget</h3>');
    const [, live = '', over = ''] = page.text.split('<h2>');
    expect(live).toContain('accounts, transactions and payments');
    expect(live).not.toContain('Withdrawn');
    expect(over).toContain('Withdrawn');
    expect(over).toContain('<dd>payments</dd>');
  });

  it.each([
    ['en', 'by the sandbox itself'],
    ['da', 'af selve sandkassen'],
    ['sv', 'av själva sandlådan'],
    ['nb', 'av selve sandkassen'],
  ])(
    'marks what the sandbox granted, and labels links by their visible words: %s',
    async (language, mark) => {
      const { browser, userId } = await loggedIn(tpp, 'business-dk');
      await give(userId);
      const headers = { 'x-language': language };
      const { text } = await browser.visit(`${userOrigin}/consents`, { headers });
      // The sandbox grants one consent to each client; the user gave the others.
      expect(text.split(mark)).toHaveLength(2);
      const links = [...text.matchAll(/aria-label="([^"]+)">([^<]+)<\/a>/g)];
      expect(links.length).toBeGreaterThan(1);
      for (const [, label, words] of links) expect(label!.startsWith(words!)).toBe(true);
    },
  );

  it('shows the purpose of each, and that one has expired', async () => {
    const { browser, userId } = await loggedIn(neighbour, 'private-no');
    const consentId = await give(userId, neighbour, ['PSP_AI']);
    const page = await show(browser);
    expect(page.text).toContain('<dd>accounts and transactions</dd>');
    await sql(
      around.accounts!.database.url,
      `UPDATE consent SET granted_at = now() - interval '91 days', valid_until = now() - interval '1 day'
       WHERE id = $1`,
      [consentId],
    );
    const later = await show(browser);
    expect(revocable(later)).not.toContain(consentId);
    expect(later.text).toContain('<dt>Expired</dt>');
    expect((await show(browser, `/consents/${consentId}/revoke`)).status).toBe(404);
  });

  it('shows nothing without a session, and with a wrong or repeated cookie', async () => {
    const { browser } = await loggedIn();
    const good = `${SESSION}=${browser.cookies.get(SESSION)}`;
    const visit = (cookie: string): Promise<Visit> =>
      new TestBrowser().visit(`${userOrigin}/consents`, { headers: { cookie } });
    expect(headingOf(await visit(good))).toBe('Your consents');
    for (const cookie of ['a=b', `${SESSION}=${'x'.repeat(43)}`, `${SESSION}=x`, `${good}; ${good}`]) {
      const page = await visit(cookie);
      expect(headingOf(page)).toBe('You are not signed in');
      expectGuarded(page);
      expect(page.text).not.toContain('Fjord');
    }
  });

  it('offers the simulated users of the named client, and sets the browser’s key once', async () => {
    const browser = new TestBrowser();
    const page = await loginPage(tpp, browser, 'business-se');
    expectGuarded(page);
    expect(page.text).toContain('Fjord &amp; Budget');
    const { choices } = formsOf(page).login!;
    expect(choices.flatMap(({ checked }, index) => (checked ? [index] : []))).toEqual([3]);
    expect(page.headers.getSetCookie()).toHaveLength(1);
    expect((await loginPage(tpp, browser)).headers.getSetCookie()).toEqual([]);
  });

  it.each([
    ['nobody has', randomUUID(), 404],
    ['is none', 'x', 400],
  ])('is refused, as a page, for a client_id that %s', async (_what, clientId, status) => {
    const page = await new TestBrowser().visit(`${userOrigin}/consents?client_id=${clientId}`);
    expect(page.status).toBe(status);
    expectGuarded(page);
    expect(page.text).not.toContain('<form');
  });
});

describe('a session (§5.9)', () => {
  it('ends five minutes after its last use (Regulation (EU) 2018/389, article 4(3)(d))', async () => {
    const { browser } = await loggedIn();
    await age(browser, '4 minutes 50 seconds');
    expect(headingOf(await show(browser))).toBe('Your consents');
    const ahead = (await expiryOf(browser)).getTime() - Date.now();
    expect(ahead).toBeGreaterThan(4 * 60_000);
    expect(ahead).toBeLessThanOrEqual(5 * 60_000);
    await age(browser, '5 minutes');
    expect(headingOf(await show(browser))).toBe('You are not signed in');
  });

  it('ends eight hours after its start, however much it is used', async () => {
    const { browser } = await loggedIn();
    await sql(
      around.database.url,
      "UPDATE user_session SET started_at = started_at - interval '7 hours 57 minutes' WHERE id_hash = $1",
      [hashBrowserKey(browser.cookies.get(SESSION)!)],
    );
    await show(browser);
    const ahead = (await expiryOf(browser)).getTime() - Date.now();
    expect(ahead).toBeGreaterThan(2 * 60_000);
    expect(ahead).toBeLessThanOrEqual(3 * 60_000);
  });

  it('ends by logging out, also for a stolen cookie', async () => {
    const { browser } = await loggedIn();
    const { logout } = formsOf(await show(browser));
    const kept = browser.cookies.get(SESSION)!;
    const wrong = await browser.send(userOrigin + logout!.action, { token: 'x'.repeat(43) });
    expect(wrong.status).toBe(409);
    const out = await browser.send(userOrigin + logout!.action, logout!.fields);
    expect(out.headers.getSetCookie()).toEqual([
      `${SESSION}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ]);
    const thief = new TestBrowser();
    thief.cookies.set(SESSION, kept);
    expect(headingOf(await show(thief))).toBe('You are not signed in');
  });

  it('is deleted when it has expired, also among a thousand others', async () => {
    const { browser } = await loggedIn();
    await age(browser, '16 minutes');
    await sql(
      around.database.url,
      `INSERT INTO user_session (id_hash, client_id, user_id, started_at, expires_at)
       SELECT sha256(int4send(i)), $1, $1, now() - interval '2 h', now() - interval '1 h'
       FROM generate_series(1, 1000) AS series (i)`,
      [neighbour.clientId],
    );
    const others = await loggedIn();
    const { close } = await around.start();
    const left = await until(
      async () => {
        const rows = await sql<{ id_hash: Buffer }>(around.database.url, 'SELECT id_hash FROM user_session');
        const hashes = rows.map(({ id_hash: hash }) => hash.toString('hex'));
        return !hashes.includes(hashOf(browser)) && hashes;
      },
      { what: 'the session to be removed' },
    );
    expect(left).toContain(hashOf(others.browser));
    await close();
  });

  it('is one of 100 of its client; another one ends the one unused for longest', async () => {
    await sql(around.database.url, 'DELETE FROM user_session');
    const theirs = await loggedIn(neighbour);
    const [oldest, used] = [await loggedIn(), await loggedIn()];
    await age(oldest.browser, '20 seconds');
    await age(used.browser, '30 seconds');
    for (let count = 2; count < 100; count += 1) await loggedIn();
    await show(used.browser);
    expect(await countOf(around.database.url, 'user_session')).toBe(101);
    await loggedIn();
    expect(await countOf(around.database.url, 'user_session')).toBe(101);
    expect(headingOf(await show(oldest.browser))).toBe('You are not signed in');
    expect(headingOf(await show(used.browser))).toBe('Your consents');
    expect(headingOf(await show(theirs.browser))).toBe('Your consents');
  });
});

describe('POST /consents/login (§5.9, §Sandbox)', () => {
  it('refuses the form for another client and in another browser', async () => {
    const browser = new TestBrowser();
    const { login } = formsOf(await loginPage(tpp, browser));
    const form = { ...login!.fields, user: login!.choices[0]!.value };
    for (const answer of [
      await browser.send(userOrigin + login!.action, { ...form, client: neighbour.clientId }),
      await new TestBrowser().send(userOrigin + login!.action, form),
    ]) {
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([409, []]);
      expectGuarded(answer);
    }
  });

  it('logs in only users of the client', async () => {
    const browser = new TestBrowser();
    const { login } = formsOf(await loginPage(tpp, browser));
    const theirs = formsOf(await loginPage(neighbour)).login!.choices[0]!.value;
    const wrong: Record<string, string>[] = [{}, { user: randomUUID() }, { user: theirs }];
    for (const chosen of wrong) {
      const answer = await browser.send(
        userOrigin + login!.action,
        { ...login!.fields, ...chosen },
        { origin: USER_URL },
      );
      expect(answer.location).toBe(`/consents?client_id=${tpp.clientId}`);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });
});

describe('POST /consents/{consentId}/revoke (§5.9)', () => {
  it('withdraws a consent after confirmation, repeatedly', async () => {
    const { browser, userId } = await loggedIn();
    const consentId = await give(userId);
    const page = await show(browser, `/consents/${consentId}/revoke`);
    expectGuarded(page);
    expect(headingOf(page)).toBe('Withdraw your consent to Fjord &amp; Budget?');
    expect(await isRevoked(consentId)).toBe(false);
    const { revoke } = formsOf(page);
    for (const _ of [1, 2]) {
      const answer = await browser.send(userOrigin + revoke!.action, revoke!.fields);
      expect([answer.status, answer.location]).toEqual([303, '/consents']);
      expect(await isRevoked(consentId)).toBe(true);
    }
    expect(revocable(await show(browser))).not.toContain(consentId);
    expect((await show(browser, `/consents/${consentId}/revoke`)).status).toBe(404);
  });

  it('withdraws nothing by a form without its token, and without a session', async () => {
    const { browser, userId } = await loggedIn();
    const consentId = await give(userId);
    const { revoke } = formsOf(await show(browser, `/consents/${consentId}/revoke`));
    const action = userOrigin + revoke!.action;
    expect((await browser.send(action, { token: 'x'.repeat(43) })).status).toBe(409);
    expect((await browser.send(action, revoke!.fields, { cookie: 'a=b' })).location).toBe('/consents');
    expect(await isRevoked(consentId)).toBe(false);
  });

  it("withdraws neither another user's consent nor, with the token of one, another one", async () => {
    const [mine, theirs] = [await loggedIn(), await loggedIn(tpp, 'business-dk')];
    const [own, other, foreign] = [
      await give(mine.userId),
      await give(mine.userId),
      await give(theirs.userId),
    ];
    const { revoke } = formsOf(await show(mine.browser, `/consents/${own}/revoke`));
    for (const consentId of [other, foreign]) {
      const path = `/consents/${consentId}/revoke`;
      const answer = await mine.browser.send(userOrigin + path, revoke!.fields);
      expect(answer.status).toBe(409);
      expect(await isRevoked(consentId)).toBe(false);
    }
    const page = await show(mine.browser, `/consents/${foreign}/revoke`);
    expect([page.status, headingOf(page)]).toEqual([404, 'Unknown consent']);
    expectGuarded(page);
  });

  it.each([randomUUID(), 'x', 'x'.repeat(2_000)])('is 404 for an unknown consent', async (consentId) => {
    const { browser } = await loggedIn();
    expect((await show(browser, `/consents/${consentId}/revoke`)).status).toBe(404);
  });
});
