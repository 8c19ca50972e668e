import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { askBank, createClient, isUnknownToBank, startGrpcServer, unary } from '@kontoport/grpc';
import { createLogger, Lifecycle } from '@kontoport/lifecycle';
import {
  LedgerServiceService,
  type PutAccountRequest,
  PutAccountResponse,
} from '@kontoport/proto/accounts/v1';
import {
  AuthenticateRequest,
  StartLoginRequest,
  StrongAuthenticationServiceClient,
  UserLoginServiceClient,
} from '@kontoport/proto/bank/v1';
import { runBank } from '../src/run-bank.ts';
import { ACCOUNTS, USERS } from '../src/users.ts';

const [freja, erik] = USERS as readonly [(typeof USERS)[0], (typeof USERS)[0]];
const logger = createLogger({ service: 'test', level: 'silent' });

describe('the reference connector (kontoport.bank.v1)', () => {
  const lifecycle = new Lifecycle();
  const accounts: PutAccountRequest[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-bank-'));
  let pages: string;
  let login: UserLoginServiceClient;
  let authentications: StrongAuthenticationServiceClient;

  beforeAll(async () => {
    const putAccount = unary<PutAccountRequest, PutAccountResponse>(logger, async (account) => {
      accounts.push(account);
      return PutAccountResponse.fromPartial({ accountId: account.accountId });
    });
    const rpcs = [{ definition: LedgerServiceService, implementation: { putAccount } }];
    const ledger = await startGrpcServer({ host: '127.0.0.1', port: 0, rpcs });
    lifecycle.own('ledger', ledger);
    const opened = await runBank({
      lifecycle,
      env: {
        GRPC_PORT: '0',
        PAGES_PORT: '0',
        OPS_PORT: '0',
        USER_URL: 'https://user.kontoport.test/',
        ACCOUNTS_GRPC: `127.0.0.1:${ledger.port}`,
        JOURNAL: join(folder, 'journal'),
        BANK_KEY: randomBytes(32).toString('base64url'),
        LOG_LEVEL: 'silent',
      },
    });
    pages = opened.pagesUrl;
    login = createClient(UserLoginServiceClient, `127.0.0.1:${opened.grpcPort}`);
    authentications = createClient(StrongAuthenticationServiceClient, `127.0.0.1:${opened.grpcPort}`);
    const ready = `http://127.0.0.1:${opened.opsPort}/readyz`;
    await until(async () => (await fetch(ready)).ok, { what: 'the bank to be ready' });
  });
  afterAll(async () => {
    login.close();
    authentications.close();
    await lifecycle.close(logger);
    rmSync(folder, { recursive: true });
  });

  const get = (url: string, cookie = '') => fetch(url, { redirect: 'manual', headers: { cookie } });
  const post = (url: string, form: Record<string, string>, cookie = '') =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams(form),
    });
  const locationOf = (response: Response): URL => new URL(response.headers.get('location')!, pages);

  it('puts its accounts into account-information, also those that no TPP may see', () => {
    // The bank repeats each call that had no answer in time.
    const told = [...new Map(accounts.map((account) => [account.accountId, account])).values()].map(
      ({ accountId, type, userId }) => [accountId, type, userId],
    );
    expect(told).toEqual(ACCOUNTS.map(({ accountId, type, userId }) => [accountId, type, userId]));
    expect(new Set(ACCOUNTS.map(({ type }) => type))).toEqual(new Set(['CHECKING', 'SAVINGS']));
  });

  describe('a login', () => {
    const returnUrl = 'https://user.kontoport.test/authorize/x/login';
    const begin = async (loginId: string = randomUUID()) => {
      const request = StartLoginRequest.fromPartial({ loginId, returnUrl, clientName: 'Fjord <Budget>' });
      const { loginUrl } = await askBank(login, login.startLogin, request);
      return { loginId, loginUrl, of: new URL(loginUrl).searchParams.get('of')! };
    };
    const logIn = (of: string, code = freja.code) =>
      post(`${pages}/login`, { of, user: freja.userId, code, do: 'log-in' });
    const complete = (loginId: string, code: string) =>
      askBank(login, login.completeLogin, { loginId, code }).then(
        ({ user }) => user,
        (error: unknown) => (isUnknownToBank(error) ? 'unknown' : 'failed'),
      );

    it('names the TPP, and returns with a code of the user that is valid for this login alone', async () => {
      const { loginId, loginUrl, of } = await begin();
      expect(await (await get(loginUrl)).text()).toContain('Fjord &lt;Budget&gt; has sent you here.');
      const back = locationOf(await logIn(of));
      expect(back.origin + back.pathname).toBe(returnUrl);
      const code = back.searchParams.get('code')!;
      expect(await complete(loginId, code)).toEqual({ userId: freja.userId, name: freja.name });
      expect(await complete(randomUUID(), code)).toBe('unknown');
      expect(await complete(loginId, `x${code.slice(1)}`)).toBe('unknown');
      expect(await complete(loginId, of)).toBe('unknown');
    });

    it('requires the code of the user', async () => {
      const { of } = await begin();
      const answer = await logIn(of, erik.code);
      expect([answer.status, (await answer.text()).includes('The code is not right.')]).toEqual([200, true]);
    });

    it('returns without a user when the user cancels', async () => {
      const { of } = await begin();
      const back = locationOf(await post(`${pages}/login`, { of, do: 'give-up' }));
      expect([...back.searchParams]).toEqual([['error', 'access_denied']]);
    });

    it('is not open without an address from Kontoport', async () => {
      const { of } = await begin();
      expect((await get(`${pages}/login?of=x${of.slice(1)}`)).status).toBe(404);
      expect((await logIn('nothing')).status).toBe(404);
    });

    it.each(['https://elsewhere.test/', 'https://user.kontoport.test.elsewhere.test/', ''])(
      'does not begin for a way back to %s',
      async (elsewhere) => {
        const request = StartLoginRequest.fromPartial({ loginId: 'x', returnUrl: elsewhere });
        const answer = askBank(login, login.startLogin, request);
        await expect(answer).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      },
    );

    it('finds its users by id', async () => {
      const known = await askBank(login, login.getUser, { userId: erik.userId });
      expect(known.user).toEqual({ userId: erik.userId, name: erik.name });
      const unknown = await askBank(login, login.getUser, { userId: randomUUID() }).catch(isUnknownToBank);
      expect(unknown).toBe(true);
    });
  });

  describe("the bank's app", () => {
    const ask = async () => {
      const request = AuthenticateRequest.fromPartial({
        authenticationId: randomUUID(),
        userId: freja.userId,
        digest: randomBytes(32),
        clientName: 'Fjord <Budget>',
        payments: [
          {
            paymentId: randomUUID(),
            accountId: randomUUID(),
            amount: { value: '12.50', currency: 'DKK' },
            creditor: { name: 'Receiver', account: { $case: 'bban', value: '00400440116243' } },
          },
        ],
      });
      const status = async () =>
        (await askBank(authentications, authentications.authenticate, request)).status;
      const { approvalUrl } = await askBank(authentications, authentications.authenticate, request);
      return { approvalUrl, status };
    };
    const session = async ({ userId: user, code } = freja): Promise<string> => {
      const { headers } = await post(`${pages}/app`, { user, code });
      return headers.get('set-cookie')!.split(';', 1)[0]!;
    };

    it('lists the approvals that wait for a user, and reloads itself', async () => {
      const { approvalUrl } = await ask();
      const [own, others] = await Promise.all([
        get(`${pages}/app`, await session()),
        get(`${pages}/app`, await session(erik)),
      ]);
      expect(own.headers.get('refresh')).toBe('2');
      expect(await own.text()).toContain(new URL(approvalUrl).pathname);
      expect(await others.text()).toContain('Nothing waits for you.');
    });

    it('requires a login for an approval, and hides it from other users', async () => {
      const { approvalUrl, status } = await ask();
      const sent = locationOf(await get(approvalUrl));
      expect([sent.pathname, sent.searchParams.get('next')]).toEqual(['/app', approvalUrl.split('/').at(-1)]);
      const stranger = await session(erik);
      expect((await get(approvalUrl, stranger)).status).toBe(404);
      expect((await post(approvalUrl, { answer: 'APPROVED' }, stranger)).status).toBe(404);
      expect(await status()).toBe('AUTHENTICATION_STATUS_PENDING');
    });

    it('fails an approval at the third wrong code of its own user, and counts no others', async () => {
      const [{ approvalUrl, status }, other] = [await ask(), await ask()];
      const next = approvalUrl.split('/').at(-1)!;
      const logIn = async ({ userId: user, code } = freja): Promise<[number, string]> => {
        const page = await post(`${pages}/app`, { user, code, next });
        return [page.status, /<h1>([^<]+)/.exec(await page.text())?.[1] ?? ''];
      };
      const wrong = { ...freja, code: 'not it' };
      for (const user of [wrong, { ...erik, code: 'not it' }, wrong])
        expect(await logIn(user)).toEqual([200, 'Log in']);
      expect(await status()).toBe('AUTHENTICATION_STATUS_PENDING');
      expect(await logIn(wrong)).toEqual([403, 'Too many wrong codes']);
      expect(await status()).toBe('AUTHENTICATION_STATUS_FAILED');
      expect(await logIn(wrong)).toEqual([403, 'Too many wrong codes']);
      const user = await session();
      expect(await (await get(approvalUrl, user)).text()).toContain('This is failed');
      expect(await status()).toBe('AUTHENTICATION_STATUS_FAILED');
      expect(await other.status()).toBe('AUTHENTICATION_STATUS_PENDING');
    });

    it('does not fail an answered approval', async () => {
      const { approvalUrl, status } = await ask();
      const user = await session();
      const proof = /name="proof" value="([^"]+)"/.exec(await (await get(approvalUrl, user)).text())![1]!;
      await post(approvalUrl, { answer: 'APPROVED', proof }, user);
      const next = approvalUrl.split('/').at(-1)!;
      for (const code of ['a', 'b', 'c', 'd'])
        expect((await post(`${pages}/app`, { user: freja.userId, code, next })).status).toBe(200);
      expect(await status()).toBe('AUTHENTICATION_STATUS_APPROVED');
    });

    it('accepts an answer from its own form only', async () => {
      const { approvalUrl, status } = await ask();
      const [user, other] = [await session(), await ask()];
      const foreign = /name="proof" value="([^"]+)"/.exec(
        await (await get(other.approvalUrl, user)).text(),
      )![1]!;
      for (const proof of ['', 'x', foreign])
        expect((await post(approvalUrl, { answer: 'APPROVED', proof }, user)).status).toBe(409);
      expect(await status()).toBe('AUTHENTICATION_STATUS_PENDING');
      const own = /name="proof" value="([^"]+)"/.exec(await (await get(approvalUrl, user)).text())![1]!;
      expect((await post(approvalUrl, { answer: 'DECLINED', proof: own }, user)).status).toBe(303);
      expect(await status()).toBe('AUTHENTICATION_STATUS_DECLINED');
    });

    it('refuses a form that is too long', async () => {
      expect((await post(`${pages}/app`, { user: 'x'.repeat(40_000) })).status).toBe(413);
    });

    it('refuses an authentication without digest or payments', async () => {
      for (const fault of [{ digest: randomBytes(31) }, { payments: [] }, { authenticationId: '../x' }]) {
        const request = AuthenticateRequest.fromPartial({
          authenticationId: randomUUID(),
          userId: freja.userId,
          digest: randomBytes(32),
          payments: [{ paymentId: randomUUID() }],
          ...fault,
        });
        const answer = askBank(authentications, authentications.authenticate, request);
        await expect(answer).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      }
    });
  });
});
