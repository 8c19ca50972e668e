import { randomUUID } from 'node:crypto';
import { type ConfigError, readConfig } from '@kontoport/config';
import { untilReady } from '@kontoport/embedded/until-ready';
import { until } from '@kontoport/embedded/wait';
import { createClient } from '@kontoport/grpc';
import { LedgerServiceClient, PutAccountRequest } from '@kontoport/proto/accounts/v1';
import { defineService, type InProcess, startInProcess } from '@kontoport/service';
import { adapters } from '../src/adapters.ts';
import { app } from '../src/app.ts';
import { config } from '../src/config.ts';
import { openDeps } from '../src/deps.ts';
import { type LoginBank, startLoginBank } from './bank-login.ts';
import { asked, authorizeUrl, forgedTokens, REDIRECT, TestBrowser, type Visit } from './browser.ts';
import { formsOf, headingOf, onwardsOf } from './page.ts';
import { countOf, sql, surroundAuth, type Surroundings, USER_URL } from './running.ts';
import { keepApproval } from './test-payments.ts';

describe('where the bank logs its own users in, as in production (§5.9)', () => {
  let around: Surroundings;
  let bank: LoginBank;
  let service: InProcess<unknown>;
  let userOrigin: string;
  let clientId: string;
  const [freja, erik] = [randomUUID(), randomUUID()];

  beforeAll(async () => {
    [around, bank] = await Promise.all([surroundAuth({ accounts: 'production' }), startLoginBank()]);
    for (const [userId, name] of [
      [freja, 'Freja Holm'],
      [erik, 'Erik Lund'],
    ] as const)
      bank.users.set(userId, { userId, name });
    const real = defineService({
      name: 'auth',
      config,
      adapters: { ...adapters, sandbox: adapters.production },
      open: openDeps,
      app,
    });
    service = await startInProcess(real, { ...around.env, BANK_GRPC: bank.address });
    await untilReady({ name: 'auth', opsPort: service.opsPort, limitMs: 60_000 });
    userOrigin = service.addresses.user_url!;
    ({ clientId } = await around.peers.addTpp({ displayName: 'Fjord Budget ApS' }));
    await until(async () => (await open(new TestBrowser())).status === 303, { what: 'the TPP to be known' });
  });
  beforeEach(() => {
    bank.away = false;
    bank.loginUrl = 'https://bank.test/login?of=this';
  });
  afterAll(async () => {
    await service.close();
    await bank.close();
    await around.close();
  });

  const open = (browser: TestBrowser, changes: Record<string, string> = {}): Promise<Visit> =>
    browser.visit(authorizeUrl(userOrigin, asked(clientId, changes)));

  /** Opens a request in a browser up to the redirect to the bank. */
  const begin = async (changes: Record<string, string> = {}, browser = new TestBrowser()) => {
    const path = (await open(browser, changes)).location!;
    const sent = await browser.visit(userOrigin + path);
    return { browser, path, sent, login: bank.begun.at(-1)! };
  };
  /** Sends a browser back from the bank's login. */
  const comeBack = (
    { browser, path }: { browser: TestBrowser; path: string },
    query: Record<string, string>,
  ): Promise<Visit> => browser.visit(`${userOrigin}${path}/login?${new URLSearchParams(query).toString()}`);

  it.each<Record<string, string>>([{}, { login_hint: 'private-dk' }])(
    'answers prompt=none with login_required at the redirect URI: %j',
    async (hint) => {
      const { location, told } = await open(new TestBrowser(), { prompt: 'none', ...hint });
      expect(location).toMatch(/^https:\/\/tpp\.test\/callback\?/);
      expect(told.get('error')).toBe('login_required');
      expect([told.get('state'), told.get('iss'), told.get('code')]).toEqual([
        'the state',
        around.env.TOKEN_ISSUER,
        null,
      ]);
      expect(await countOf(around.database.url, 'authorization_decision')).toBe(0);
    },
  );

  it('sends the browser to the bank with the client’s name, language and return address', async () => {
    const { sent, path, login } = await begin({ ui_locales: 'da', login_hint: 'freja' });
    expect([sent.status, sent.location]).toEqual([303, 'https://bank.test/login?of=this']);
    expect(login).toEqual({
      loginId: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      returnUrl: `${USER_URL}${path}/login`,
      clientName: 'Fjord Budget ApS',
      language: 'da',
      loginHint: 'freja',
    });
  });

  it('shows the logged-in user’s own accounts, and issues a code', async () => {
    const ledger = createClient(LedgerServiceClient, around.accounts!.address);
    const accountId = randomUUID();
    const account = PutAccountRequest.fromPartial({
      accountId,
      userId: freja,
      name: 'Lønkonto',
      type: 'CHECKING',
      currency: 'DKK',
      bban: '00400440116243',
      supportsPayments: true,
    });
    await new Promise<void>((resolve, reject) => {
      ledger.putAccount(account, (error) => (error ? reject(error) : resolve()));
    });
    ledger.close();
    const begun = await begin();
    const back = await comeBack(begun, { code: bank.codeFor(begun.login, freja) });
    expect([back.status, back.location?.startsWith(`${begun.path}?user=${freja}&proof=`)]).toEqual([
      303,
      true,
    ]);
    const page = await begun.browser.visit(userOrigin + back.location!);
    expect(page.text).toContain('Freja Holm');
    expect(page.text).toContain('Lønkonto');
    const { approve } = formsOf(page);
    const yes = { ...approve!.fields, [approve!.choices[0]!.name]: 'on' };
    const left = await begun.browser.send(userOrigin + approve!.action, yes);
    expect(onwardsOf(left).searchParams.get('code')).toMatch(/./);
    const consents = await begun.browser.visit(`${userOrigin}/consents`);
    expect([consents.status, consents.text.includes('Freja Holm')]).toEqual([200, true]);
  });

  it('accepts a login code in its own browser and for its own request only', async () => {
    const [first, second] = [await begin(), await begin()];
    const code = bank.codeFor(first.login, freja);
    expect(first.login.loginId).not.toBe(second.login.loginId);
    const planted = await comeBack(second, { code });
    expect([planted.status, headingOf(planted)]).toEqual([200, 'You are not logged in']);
    const another = await begin({}, first.browser);
    expect(another.login.loginId).not.toBe(first.login.loginId);
    expect(headingOf(await comeBack(another, { code }))).toBe('You are not logged in');
    const stranger = await comeBack({ browser: new TestBrowser(), path: first.path }, { code });
    expect(stranger.status).toBe(404);
    expect((await comeBack(first, { code })).status).toBe(303);
  });

  it.each<[string, Record<string, string>]>([
    ['gave up', { error: 'access_denied' }],
    ['brings nothing', {}],
    ['brings an unknown code', { code: 'x' }],
  ])('offers another login or a refusal to a user who %s', async (_what, query) => {
    const begun = await begin();
    const page = await comeBack(begun, query);
    expect([page.status, headingOf(page)]).toEqual([200, 'You are not logged in']);
    const again = await begun.browser.visit(`${userOrigin}${begun.path}/user`);
    expect([again.status, again.location]).toEqual([303, bank.loginUrl]);
    const { refuse, ...others } = formsOf(page);
    expect(others).toEqual({});
    const left = await begun.browser.send(userOrigin + refuse!.action, refuse!.fields);
    expect(onwardsOf(left).searchParams.get('error')).toBe('access_denied');
  });

  it('refuses a chosen user', async () => {
    const begun = await begin();
    const chosen = await begun.browser.send(`${userOrigin}${begun.path}/user`, { token: 'x', user: freja });
    expect(chosen.status).toBe(409);
    const claimed = await begun.browser.visit(`${userOrigin}${begun.path}?user=${freja}&proof=x`);
    expect([claimed.status, claimed.location]).toEqual([303, bank.loginUrl]);
  });

  it('identifies no user by tokens that a browser can forge', async () => {
    const { browser, path } = await begin();
    for (const proof of forgedTokens(browser, [path, 'identified', freja])) {
      const query = new URLSearchParams({ user: freja, proof }).toString();
      const page = await browser.visit(`${userOrigin}${path}?${query}`);
      expect([page.status, page.location]).toEqual([303, bank.loginUrl]);
    }
    for (const token of forgedTokens(browser, [`${path}/approve`, 'user', freja])) {
      const form = { token, user: freja, [`account.${randomUUID()}`]: 'on' };
      expect((await browser.send(`${userOrigin}${path}/approve`, form)).status).toBe(409);
    }
  });

  describe('an approval, for a user whom the bank has logged in a moment ago (§4.4)', () => {
    /** A browser with a user whom the bank has logged in for a consent, and an approval of freja's. */
    const loggedIn = async (userId: string) => {
      const begun = await begin();
      const back = await comeBack(begun, { code: bank.codeFor(begun.login, userId) });
      expect(back.status).toBe(303);
      const { approvalId, shown } = keepApproval(around.payments, {
        clientId,
        userId: freja,
        redirectUrl: REDIRECT,
      });
      const logins = bank.begun.length;
      return { ...begun, path: `/approvals/${approvalId}`, shown, logins };
    };

    it('is shown and answered without another login', async () => {
      const { browser, path, shown, logins } = await loggedIn(freja);
      const page = await browser.visit(userOrigin + path);
      expect([page.status, page.text.includes('You are signed in as Freja Holm.')]).toEqual([200, true]);
      expect(bank.begun).toHaveLength(logins);
      const { approve } = formsOf(page);
      expect((await browser.send(userOrigin + approve!.action, approve!.fields)).status).toBe(200);
      expect(shown.standing!.status).toBe('APPROVED');
    });

    it('asks for a login when another user is logged in', async () => {
      const { browser, path } = await loggedIn(erik);
      const page = await browser.visit(userOrigin + path);
      expect([page.status, page.location]).toEqual([303, bank.loginUrl]);
    });

    it('asks for a login after five minutes without a click, and in another browser', async () => {
      const { browser, path } = await loggedIn(freja);
      await sql(
        around.database.url,
        "UPDATE user_session SET expires_at = expires_at - interval '5 minutes'",
      );
      for (const visitor of [browser, new TestBrowser()])
        expect((await visitor.visit(userOrigin + path)).location).toBe(bank.loginUrl);
    });

    it('has its own login, which starts a session for the next approval', async () => {
      const { path } = await loggedIn(erik);
      const browser = new TestBrowser();
      const sent = await browser.visit(userOrigin + path);
      expect([sent.status, sent.location]).toEqual([303, bank.loginUrl]);
      const login = bank.begun.at(-1)!;
      expect(login).toMatchObject({ returnUrl: `${USER_URL}${path}/login`, language: 'en' });
      const code = bank.codeFor(login, freja);
      const stranger = await comeBack({ browser: new TestBrowser(), path }, { code });
      const nobody = await comeBack({ browser, path }, { error: 'access_denied' });
      for (const page of [stranger, nobody])
        expect([page.status, headingOf(page)]).toEqual([200, 'You are not logged in']);
      expect(nobody.text).toContain(`href="${path}/user"`);
      const { location } = await comeBack({ browser, path }, { code });
      expect(location).toMatch(new RegExp(`^${path}\\?user=${freja}&proof=`));
      expect((await browser.visit(userOrigin + path)).text).toContain('Havnens');
      expect((await browser.visit(`${userOrigin}${path}/user`)).location).toBe(bank.loginUrl);
    });

    it('requires a login of its own for every request for access (§5.9)', async () => {
      const { browser } = await loggedIn(freja);
      expect((await begin({}, browser)).sent.location).toBe(bank.loginUrl);
    });
  });

  it.each(['ftp://bank.test/', 'javascript:alert(1)', 'nothing', `https://bank.test/${'x'.repeat(12_000)}`])(
    'goes nowhere that is no page of a bank: %.40s',
    async (loginUrl) => {
      bank.loginUrl = loginUrl;
      const { sent } = await begin();
      expect([sent.status, sent.location]).toEqual([503, undefined]);
    },
  );

  it('is 503 without the bank, and continues when the bank answers', async () => {
    const begun = await begin();
    const code = bank.codeFor(begun.login, erik);
    bank.away = true;
    expect((await comeBack(begun, { code })).status).toBe(503);
    expect((await begun.browser.visit(userOrigin + begun.path)).status).toBe(503);
    bank.away = false;
    expect((await comeBack(begun, { code })).status).toBe(303);
  });

  it('sends the user to the bank’s login for their consents', async () => {
    const browser = new TestBrowser();
    const sent = await browser.visit(`${userOrigin}/consents?client_id=${clientId}`);
    expect([sent.status, sent.location]).toEqual([303, bank.loginUrl]);
    const login = bank.begun.at(-1)!;
    expect([login.returnUrl, login.clientName]).toEqual([`${USER_URL}/consents/login`, '']);
    const back = (query: Record<string, string>, by = browser): Promise<Visit> =>
      by.visit(`${userOrigin}/consents/login?${new URLSearchParams(query).toString()}`);
    const code = bank.codeFor(login, erik);
    expect(headingOf(await back({ error: 'access_denied' }))).toBe('You are not signed in');
    expect((await back({ code }, new TestBrowser())).status).toBe(200);
    expect((await back({ code })).location).toBe('/consents');
    const page = await browser.visit(`${userOrigin}/consents`);
    expect([page.status, page.text.includes('Erik Lund')]).toEqual([200, true]);
  });

  it('does not start in production without the address of the bank', () => {
    const env = { ...around.env, ENVIRONMENT: 'production' };
    const faults = (): readonly string[] => {
      try {
        readConfig(config, env);
        return [];
      } catch (error) {
        return (error as ConfigError).faults;
      }
    };
    expect(faults()).toContain('BANK_GRPC: missing; in production the bank is asked');
  });
});
