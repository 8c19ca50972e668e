import { until } from '@kontoport/embedded/wait';
import type { Browser, Page } from 'playwright-core';
import type { StackFile } from '../src/stack-file.ts';
import {
  arrives,
  axeFaults,
  describeWithChromium,
  launchChromium,
  newPerson,
  PAGE_LIMIT_MS,
  type Person,
  reads,
} from './chromium.ts';
import { asksToPay, inDays, inWords, type PaymentAsker } from './payment-asker.ts';
import { LIMIT_MS, type StartedStack, useStack } from './started-stack.ts';
import { openTppApp, type TppApp } from './tpp-app.ts';
import { useTunnelledReceiver } from './tunnelled-receiver.ts';

const NAME = 'Fjord Budget ApS';
/** The TPP's website. The browsers of the tests answer for it. */
const CALLBACK = 'https://tpp.example/callback';
/** Freja Holm of the example bank. */
const CODE = '1841';
const ASKED = `${NAME} asks you to approve a payment`;

describeWithChromium('npm start -- --production, in Chromium (§3.2, §4.4)', () => {
  const receiver = useTunnelledReceiver();
  const { start } = useStack('file', receiver.variables);
  let started: StartedStack;
  let stack: StackFile;
  let accountId: string;
  let browser: Browser;
  let tpp: TppApp;
  let asks: PaymentAsker;
  let freja: Person;

  beforeAll(async () => {
    started = start('--production');
    stack = await started.ready();
  }, LIMIT_MS);
  beforeAll(async () => {
    browser = await launchChromium();
    tpp = await openTppApp(stack, NAME, { redirectUri: CALLBACK, callbackUrl: receiver.callbackUrl });
    freja = await somebody();
    accountId = await consent(freja.page);
    asks = asksToPay(tpp, accountId);
    await freja.context.close();
  }, LIMIT_MS);
  afterAll(async () => {
    await tpp?.close();
    await browser?.close();
  });
  beforeEach(() => {
    tpp.callbacks.length = 0;
  });
  afterEach(async () => {
    const { complaints, context } = freja;
    await context.close();
    if (complaints.length > 0) throw new Error(`the browser complained:\n${complaints.join('\n')}`);
  });

  /** Opens a new browser, which answers for the TPP's website. */
  async function somebody(options: Parameters<typeof newPerson>[1] = {}): Promise<Person> {
    const person = await newPerson(browser, options);
    await person.context.route(`${CALLBACK}?*`, async (route) => {
      tpp.callbacks.push(new URL(route.request().url()).searchParams);
      await route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Back</title>' });
    });
    return person;
  }

  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();

  async function logIn(page: Page, code = CODE): Promise<void> {
    await reads(page, 'Log in');
    await page.getByLabel('User').selectOption({ label: 'Freja Holm' });
    await page.getByLabel('Code').fill(code);
    await press(page, 'Log in');
  }

  /** Opens Freja's account to the TPP. @returns its id */
  async function consent(page: Page): Promise<string> {
    await page.goto(tpp.authorizeUrl());
    await logIn(page);
    await reads(page, `${NAME} asks for access to your accounts`);
    await page.getByRole('checkbox').first().check();
    await press(page, 'Give access');
    await until(() => tpp.callbacks.length > 0, { what: 'the code', timeout: PAGE_LIMIT_MS });
    await tpp.redeem();
    const { accounts } = (await tpp.call('GET', '/accounts')) as { accounts: { id: string }[] };
    // The chosen one, and no savings.
    expect(accounts.map(({ id }) => id)).toEqual(['5b1f6c52-3f0e-4d0a-9a4e-0c9a1f7a2001']);
    return accounts[0]!.id;
  }

  /** Opens an approval for Freja in a new browser. */
  async function open(
    { authUrl }: { authUrl: string },
    options: Parameters<typeof newPerson>[1] = {},
  ): Promise<Page> {
    freja = await somebody(options);
    await freja.page.goto(authUrl);
    await logIn(freja.page);
    await freja.page.locator('section.card').first().waitFor();
    return freja.page;
  }

  /** Opens another approval for Freja, who is logged in (§4.4). */
  async function openAnother(page: Page, { authUrl }: { authUrl: string }): Promise<void> {
    await page.goto(authUrl);
    await page.locator('section.card').first().waitFor();
  }

  /** Opens the bank's login, to which the waiting page leads. */
  async function goToBank(page: Page): Promise<Page> {
    await reads(page, 'Confirm with your bank');
    // The page loads itself again and again, so that a click could fall in between.
    const link = page.getByRole('link', { name: 'Confirm at the bank' });
    const address = await until(() => link.getAttribute('href'), { what: 'the bank to be asked' });
    const atBank = await freja.context.newPage();
    await atBank.goto(address);
    return atBank;
  }

  /** Answers at the bank, to which the waiting page leads. */
  async function answerAtBank(page: Page, button = 'Approve'): Promise<void> {
    const atBank = await goToBank(page);
    await logIn(atBank);
    await reads(atBank, 'Approve payments?');
    await press(atBank, button);
  }

  /** Returns the text of each element. */
  const written = async (page: Page, selector: string): Promise<string[]> =>
    (await page.locator(selector).allInnerTexts()).map((words) => words.replaceAll(/\s+/g, ' '));

  const isBack = (page: Page): Promise<void> =>
    arrives(page, { at: ({ href }) => href.startsWith(CALLBACK), what: 'the TPP’s website' });
  const told = (): Record<string, string>[] => tpp.callbacks.map((answer) => Object.fromEntries(answer));

  it(
    'shows payee, amount and account; the user approves at the bank, and comes back to the TPP, which gets signed events (§6)',
    async () => {
      const key = await tpp.subscribe('Transfer.CreatedV1', 'Transfer.StatusChangedV1');
      const asked = await asks.payments();
      const page = await open(asked);
      await reads(page, ASKED);
      const [card] = await written(page, 'section.card');
      for (const words of ['DKK 125.50', 'Havnens Boligforening', '0040 0440116251', 'Rent for December'])
        expect(card).toContain(words);
      await press(page, 'Approve');
      await reads(page, 'Confirm with your bank');
      expect(await asked.status()).toBe('AWAITING_APPROVAL');
      await answerAtBank(page);
      await isBack(page);
      expect(told()).toEqual([{ of: asked.requestId }]);
      await asked.becomes('APPROVED', 'COMPLETED');
      const paymentId = await asked.paymentId();
      expect(await tpp.call('GET', `/polling/${paymentId}/status`)).toMatchObject({ status: 'APPROVED' });
      expect(await tpp.call('GET', `/accounts/${accountId}/transactions/${paymentId}`)).toMatchObject({
        status: 'financial',
      });
      const payment = { paymentId, accountId, draftId: asked.draftIds[0] };
      expect(await receiver.receive(key, 'Transfer.CreatedV1', 'AWAITING_APPROVAL')).toMatchObject(payment);
      expect(await receiver.receive(key, 'Transfer.StatusChangedV1', 'COMPLETED')).toMatchObject(payment);
      await page.goto(asked.authUrl);
      await reads(page, 'You have approved the request');
      await page.getByRole('link', { name: `Back to ${NAME}` }).click();
      await isBack(page);
    },
    LIMIT_MS,
  );

  it(
    'rejects for good when the user declines at the bank',
    async () => {
      const asked = await asks.payments('10.00');
      const page = await open(asked);
      await press(page, 'Approve');
      await answerAtBank(page, 'Decline');
      await isBack(page);
      expect(told()).toEqual([{ of: asked.requestId, error: 'access_denied' }]);
      await asked.becomes('REJECTED', 'REJECTED');
    },
    LIMIT_MS,
  );

  it(
    'learns the outcome after the page is closed and the bank was away',
    async () => {
      const asked = await asks.payments('20.00');
      const page = await open(asked);
      process.kill(stack.bank!.pid, 'SIGSTOP');
      try {
        await press(page, 'Approve');
        expect(await asked.status()).toBe('AWAITING_APPROVAL');
      } finally {
        process.kill(stack.bank!.pid, 'SIGCONT');
      }
      const atBank = await goToBank(page);
      await page.close();
      await logIn(atBank);
      await press(atBank, 'Approve');
      await asked.becomes('APPROVED', 'COMPLETED');
    },
    LIMIT_MS,
  );

  it(
    'rejects for good by keyboard alone, whatever a second tab sends',
    async () => {
      const asked = await asks.payments();
      const page = await open(asked);
      const second = await freja.context.newPage();
      await second.goto(page.url());
      for (const name of ['Choose another user', 'Approve', 'Decline']) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate<[string, string]>(
          '[document.activeElement.innerText, getComputedStyle(document.activeElement).outlineStyle]',
        );
        expect(focused).toEqual([name, 'solid']);
      }
      await page.keyboard.press('Enter');
      await isBack(page);
      expect(told()).toEqual([{ of: asked.requestId, error: 'access_denied' }]);
      expect(await asked.status()).toBe('REJECTED');
      await page.goBack();
      await reads(page, 'The request has not been approved');
      expect(await page.getByRole('button').count()).toBe(0);
      await press(second, 'Approve');
      await isBack(second);
      expect(await asked.status()).toBe('REJECTED');
    },
    LIMIT_MS,
  );

  it(
    'shows frequency, first and last day of a standing order, which an approval activates',
    async () => {
      const asked = await asks.standingOrder();
      const page = await open(asked);
      await reads(page, `${NAME} asks you to approve a standing order`);
      const [card] = await written(page, 'section.card');
      for (const words of [
        'DKK 4,321.00',
        'How often every month',
        `First day ${inWords(inDays(30))}`,
        `Last day ${inWords(inDays(400))}`,
      ])
        expect(card).toContain(words);
      await press(page, 'Approve');
      await answerAtBank(page);
      await isBack(page);
      expect(told()).toEqual([{ of: asked.of }]);
      expect(await tpp.call('GET', asked.path)).toMatchObject({ status: 'ACTIVE' });
    },
    LIMIT_MS,
  );

  it(
    'shows each of several payments and their sum; declining rejects all of them',
    async () => {
      const asked = await asks.payments('125.50', '99.99', '1200.00');
      const page = await open(asked);
      await reads(page, `${NAME} asks you to approve 3 payments`);
      const cards = await written(page, 'section.card');
      expect(cards.map((card) => card.split(' To ', 1)[0])).toEqual([
        'DKK 125.50',
        'DKK 99.99',
        'DKK 1,200.00',
      ]);
      expect(await written(page, '.sums strong')).toEqual(['DKK 1,425.49']);
      await press(page, 'Decline');
      await isBack(page);
      expect(told()).toEqual([{ of: asked.requestId, error: 'access_denied' }]);
      expect(await asked.status()).toBe('REJECTED');
    },
    LIMIT_MS,
  );

  it(
    'reports a failed authentication to the user and to the TPP',
    async () => {
      const asked = await asks.payments();
      const page = await open(asked);
      await press(page, 'Approve');
      const atBank = await goToBank(page);
      for (const code of ['0000', '1111']) {
        await logIn(atBank, code);
        await atBank.getByRole('alert').waitFor();
      }
      await logIn(atBank, '2222');
      await reads(atBank, 'Too many wrong codes');
      await isBack(page);
      expect(told()).toEqual([{ of: asked.requestId, error: 'failed' }]);
      expect(await asked.status()).toBe('REJECTED');
      await page.goto(asked.authUrl);
      await reads(page, 'The request has not been approved');
      expect(await page.getByRole('button').count()).toBe(0);
      await page.getByRole('link', { name: `Back to ${NAME}` }).click();
      await isBack(page);
      expect(told().slice(1)).toEqual([{ of: asked.requestId, error: 'failed' }]);
    },
    LIMIT_MS,
  );

  it(
    'pays once when the button is clicked twice and the form is sent again',
    async () => {
      const asked = await asks.payments('77.31');
      const page = await open(asked);
      const [again, no] = [await freja.context.newPage(), await freja.context.newPage()];
      for (const tab of [again, no]) await tab.goto(page.url());
      await page.getByRole('button', { name: 'Approve', exact: true }).dblclick();
      await reads(page, 'Confirm with your bank');
      for (const [tab, button] of [
        [again, 'Approve'],
        [no, 'Decline'],
      ] as const) {
        await press(tab, button);
        await reads(tab, 'Confirm with your bank');
        await tab.close();
      }
      await answerAtBank(page);
      await isBack(page);
      expect(told()).toEqual([{ of: asked.requestId }]);
      expect(await asked.status()).toBe('APPROVED');
      expect(await asks.timesPaid(asked, 77.31)).toBe(1);
    },
    LIMIT_MS,
  );

  it(
    'reports an expired approval to the user and to the TPP',
    async () => {
      const asked = await asks.expired();
      freja = await somebody();
      await freja.page.goto(asked.authUrl);
      await reads(freja.page, 'The time to answer has passed');
      await freja.page.getByRole('link', { name: `Back to ${NAME}` }).click();
      await isBack(freja.page);
      expect(told()).toEqual([{ of: asked.of, error: 'expired' }]);
    },
    LIMIT_MS,
  );

  const PHONE = { width: 360, height: 740 };
  const DESKTOP = { width: 1280, height: 800 };

  it.each([
    ['phone', 'dark', PHONE, 'da-DK'],
    ['desktop', 'light', DESKTOP, 'sv-SE'],
  ] as const)(
    'has pages on a %s in %s that fit, in which axe finds no fault',
    async (_device, colorScheme, viewport, locale) => {
      const page = await open(await asks.payments(), { viewport, colorScheme, locale });
      const faults: Record<string, string[]> = {};
      const look = async (what: string): Promise<void> => {
        const wider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        const found = [...(wider ? ['wider than the screen'] : []), ...(await axeFaults(page))];
        if (found.length > 0) faults[what] = found;
      };
      await look('the approval');
      const path = new URL(page.url()).pathname;
      await page.goto(`${stack.userUrl}${path}/login?error=access_denied`);
      await look('nobody logged in');
      await page.goBack();
      await page.locator('section.card').waitFor();
      await page.locator('form[action$="/decline"] button').click();
      await isBack(page);
      await page.goto(stack.userUrl + path);
      await look('how it ended');
      await openAnother(page, await asks.payments('125.50', '99.99'));
      await look('several payments');
      await openAnother(page, await asks.standingOrder());
      await look('a standing order');
      await page.goto((await asks.expired()).authUrl);
      await look('one whose time is over');
      await page.goto(`${stack.userUrl}/approvals/${'x'.repeat(43)}`);
      await look('a link that is none');
      expect(faults).toEqual({});
    },
    LIMIT_MS,
  );

  it(
    'stops on SIGINT with status 0',
    async () => {
      started.child.kill('SIGINT');
      expect(await started.ended).toBe(0);
      expect(started.output()).toContain('Stopped.');
      freja = await somebody();
    },
    LIMIT_MS,
  );
});
