import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { kontoport } from '@kontoport/testing/kontoport';
import { axeFaults, describeWithChromium, launchChromium, newPerson } from './chromium.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const root = join(import.meta.dirname, '../../../..');
const NAME = 'Nordhavn <b>Apps</b>';
const { data, start } = useStack('file', { WEBHOOK_RETRY_SCHEDULE: '0s,1s' });
const children: ChildProcess[] = [];

const chosen = (): string[] => ['--stack', join(data(), 'stack.json')];
async function call(method: string, path: string, ...more: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await kontoport(['call', method, path, ...more, ...chosen()]);
  return (stdout.trim() === '' ? {} : JSON.parse(stdout)) as Record<string, unknown>;
}

/** Starts the console. @returns its link */
async function openConsole(...more: string[]): Promise<string> {
  const child = spawn(
    process.execPath,
    ['scripts/programs/kontoport/kontoport.mjs', 'console', '--port', '0', ...more, ...chosen()],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  children.push(child);
  let said = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (said += text));
  return until(() => /^Open (\S+)$/m.exec(said)?.[1], { timeout: LIMIT_MS, what: 'the link of the console' });
}

/** A browser that opened the link. */
async function openedBy(link: string) {
  const { origin } = new URL(link);
  const opened = await fetch(link);
  const [cookie] = opened.headers.get('set-cookie')!.split(';');
  return {
    origin,
    get: async (path: string): Promise<string> => {
      const answer = await fetch(origin + path, { headers: { cookie: cookie! } });
      return answer.text();
    },
    post: (path: string, form: Record<string, string> = {}, from: string | undefined = origin) =>
      fetch(origin + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: cookie!, ...(from !== undefined && { origin: from }) },
        body: new URLSearchParams(form),
      }),
  };
}

let link: string;
let browser: Awaited<ReturnType<typeof openedBy>>;

beforeAll(async () => {
  await start('--no-tour').ready();
  await kontoport(['login', '--name', NAME, ...chosen()]);
  link = await openConsole();
  browser = await openedBy(link);
}, LIMIT_MS);

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

describe('the link of kontoport console', () => {
  it('opens the console once, in one browser', async () => {
    expect((await fetch(link)).status).toBe(403);
    expect((await fetch(`${browser.origin}/accounts`)).status).toBe(403);
    expect(await browser.get('/')).toContain('Client id');
  });

  it('is of no use under another host name, nor for a form of another site', async () => {
    const { port } = new URL(link);
    expect((await fetch(`http://localhost:${port}/`)).status).toBe(421);
    expect((await browser.post('/reset', {}, 'http://evil.example')).status).toBe(403);
  });
});

describe('the console', () => {
  it('shows the client with its certificate, and markup as text', async () => {
    const page = await browser.get('/');
    expect(page).toContain('Nordhavn &lt;b&gt;Apps&lt;/b&gt;');
    expect(page).not.toContain('<b>Apps');
    expect(page).toContain('PSP_AI, PSP_PI');
  });

  it('shows accounts and their transactions, page by page', async () => {
    const [, path] = /href="(\/accounts\/[\da-f-]{36})">Lønkonto</.exec(await browser.get('/accounts'))!;
    const first = await browser.get(path!);
    expect(first).toContain('Havnens Værft A/S');
    const [, next] = /href="(\/accounts\/[^"]*\?cursor=[^"]+)"/.exec(first)!;
    const second = await browser.get(next!);
    const ids = (page: string): string[] => page.match(/<code>[\da-f-]{36}<\/code>/g) ?? [];
    expect(ids(second)).not.toEqual([]);
    expect(ids(first).filter((id) => ids(second).includes(id))).toEqual([]);
  });

  it('shows a refused request with its verdict and cure', async () => {
    await call('GET', '/accounts/nothing/transactions');
    const page = await until(
      async () => {
        const text = await browser.get('/requests?status=404');
        return text.includes('RESOURCE_UNKNOWN') && text;
      },
      { what: 'the refused request' },
    );
    expect(page).toMatch(/href="https:\/\/localhost:\d+\/errors\/RESOURCE_UNKNOWN"/);
    expect(page).toContain('/accounts/{accountId}/transactions');
  });

  it('shows payments as states', async () => {
    const { accounts } = (await call('GET', '/sandbox/accounts')) as {
      accounts: { id: string; currency: string; supportsPayments: boolean }[];
    };
    const sender = accounts.find((each) => each.currency === 'DKK' && each.supportsPayments)!;
    const payment = {
      senderAccountId: sender.id,
      receiverAccountBban: '66950007654321',
      receiverName: 'Ø <i>Handel',
      amount: '12.50',
      currency: 'DKK',
      name: 'Gift',
      message: 'Thanks',
      redirectUrl: 'https://tpp.example/callback',
    };
    const made = await call('POST', '/payments/domestic-credit-transfer', '--data', JSON.stringify(payment));
    const page = await browser.get('/payments');
    expect(page).toContain(String(made.paymentId));
    expect(page).toContain('Ø &lt;i&gt;Handel');
    expect(page).toMatch(/<strong>(AWAITING_APPROVAL|PENDING|COMPLETED)<\/strong>/);
  });

  it('shows deliveries with their attempts, and sends one again', async () => {
    const body = JSON.stringify({ callbackUrl: 'http://127.0.0.1:9/', eventTypes: ['Posting.CreatedV1'] });
    await call('POST', '/v1/webhook-subscriptions/console-test', '--data', body);
    expect(await browser.get('/webhooks')).toContain('http://127.0.0.1:9/');
    expect((await browser.post('/webhooks/console-test/test')).status).toBe(303);
    const delivery = await until(
      async () => {
        const page = await browser.get('/webhooks/console-test');
        return page.includes('exhausted') && /href="(\/webhooks\/console-test\/[^"]+)"/.exec(page)?.[1];
      },
      { what: 'an exhausted delivery' },
    );
    expect(await browser.get(delivery)).toContain('unreachable: refused');
    const again = await browser.post(`${delivery}/resend`);
    expect([again.status, again.headers.get('location')]).toEqual([303, delivery]);
  });

  it('advances the clock and resets the simulated bank', async () => {
    await browser.post('/clock', { advance: 'P1D' });
    expect(await call('GET', '/sandbox/clock')).toMatchObject({ aheadSeconds: 86_400 });
    expect((await browser.post('/reset')).status).toBe(303);
    expect(await call('GET', '/sandbox/clock')).toMatchObject({ aheadSeconds: 0 });
  });

  it('calls any operation as the client, and explains a refusal', async () => {
    const call = async (operation: string, path: string, body = ''): Promise<string> =>
      (await browser.post('/try', { operation, path, body })).text();
    expect(await browser.get('/try?operation=postSandboxClock')).toContain('&quot;advance&quot;');
    expect(await call('getSandboxClock', '/sandbox/clock')).toMatch(/<h2>200, [^]*&quot;now&quot;/);
    expect(await call('postSandboxClock', '/sandbox/clock', '{"advance":"<b>"}')).toMatch(
      /<h2>400, [^]*Cure: /,
    );
    const unfilled = '/v2/accounts/{accountId}/transactions';
    expect(await call('getV2AccountsByAccountIdTransactions', unfilled)).toContain('Replace {accountId}');
  });

  it('ends with 0 at SIGINT', async () => {
    await openConsole();
    const child = children.at(-1)!;
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('shows why the bank refuses', async () => {
    const answer = await browser.post('/clock', { advance: 'tomorrow' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('Cure:');
  });
});

describeWithChromium('the console, in Chromium', () => {
  it.each([
    ['phone', 'dark', { width: 390, height: 844 }],
    ['desktop', 'light', { width: 1280, height: 800 }],
  ] as const)(
    'has no axe finding, no overflow and no request elsewhere (%s, %s)',
    async (_device, colorScheme, viewport) => {
      const chromium = await launchChromium();
      const { page, context, complaints } = await newPerson(chromium, { viewport, colorScheme });
      const own = await openConsole();
      const elsewhere: string[] = [];
      context.on('request', (request) => {
        if (!request.url().startsWith(new URL(own).origin)) elsewhere.push(request.url());
      });
      await page.goto(own);
      await page.getByRole('link', { name: 'Continue' }).click();
      for (const name of [
        'Client',
        'Requests',
        'Accounts',
        'Payments',
        'Webhooks',
        'Try it',
        'Clock and reset',
      ]) {
        await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click();
        expect([name, await axeFaults(page)]).toEqual([name, []]);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect([name, overflow]).toEqual([name, 0]);
      }
      await page.getByRole('button', { name: 'Advance by an hour' }).click();
      await page.getByRole('heading', { name: 'Clock and reset' }).waitFor();
      await chromium.close();
      expect([complaints, elsewhere]).toEqual([[], []]);
    },
    LIMIT_MS,
  );
});
