import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { StackFile } from '../src/stack-file.ts';
import {
  axeFaults,
  describeWithChromium,
  launchChromium,
  newPerson,
  type Person,
  reads,
} from './chromium.ts';
import { LIMIT_MS, useStack } from './started-stack.ts';

const BRAND = 'Nordhavn <script>alert(1)</script>';
const LOGO = `data:image/svg+xml;base64,${Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="4" fill="#ffe600"/></svg>',
).toString('base64')}`;
const ADDRESSES = ['baseUrl', 'registrationUrl', 'authUrl', 'userUrl'] as const;
const GUIDES = globSync('*.md', { cwd: join(import.meta.dirname, '../../../../docs/guides') })
  .filter((file) => file !== 'README.md')
  .map((file) => file.replace(/\.md$/, ''));
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };

describeWithChromium('the pages for developers, in Chromium (§9.5)', () => {
  const { start } = useStack('file', { BRAND_NAME: BRAND, BRAND_COLOR: '#ffe600', BRAND_LOGO: LOGO });
  let stack: StackFile;
  let browser: Browser;
  let people: Person[] = [];
  /** Requests that left for somewhere else than the stack. */
  let outside: string[] = [];

  beforeAll(async () => {
    stack = await start('--no-tour').ready();
    browser = await launchChromium();
  }, LIMIT_MS);
  afterAll(() => browser?.close());
  afterEach(async () => {
    const complaints = people.flatMap((person) => person.complaints);
    for (const { context } of people) await context.close();
    people = [];
    const faults = [...complaints, ...outside.splice(0).map((url) => `a request to ${url}`)];
    if (faults.length > 0) throw new Error(`the browser complained:\n${faults.join('\n')}`);
  });

  async function somebody(options: Parameters<typeof newPerson>[1] = {}): Promise<Page> {
    const person = await newPerson(browser, options);
    people.push(person);
    person.context.on('request', (request) => {
      const ours = ADDRESSES.some((address) => request.url().startsWith(stack[address]));
      if (!ours && !request.url().startsWith('data:')) outside.push(request.url());
    });
    return person.page;
  }

  it.each([
    ['phone', 'light', PHONE, 'en-GB'],
    ['phone', 'dark', PHONE, 'da-DK'],
    ['desktop', 'light', DESKTOP, 'sv-SE'],
    ['desktop', 'dark', DESKTOP, 'nb-NO'],
  ] as const)(
    'fit a %s in %s, show the bank, and have no fault that axe finds',
    async (_device, colorScheme, viewport, locale) => {
      const page = await somebody({ viewport, colorScheme, locale });
      const faults: Record<string, string[]> = {};
      const paths = ['/', '/documentation', '/errors', '/errors/TOKEN_EXPIRED', '/errors/TOKEN_EXPIRED/x'];
      const urls = [
        ...GUIDES.map((id) => `${stack.userUrl}/guides/${id}`),
        `${stack.baseUrl}/guides`,
        `${stack.baseUrl}/guides/sandbox`,
        ...ADDRESSES.flatMap((address) => paths.map((path) => stack[address] + path)),
        `${stack.baseUrl}/documentation?q=cursor`,
        `${stack.baseUrl}/documentation/getAccountsByAccountIdTransactions`,
        `${stack.baseUrl}/documentation/postPaymentsDraftsApprove`,
        `${stack.baseUrl}/documentation/onPostingCreatedV1`,
        `${stack.registrationUrl}/documentation/postTpp`,
        `${stack.authUrl}/documentation/postOauth2Token`,
      ];
      for (const url of urls) {
        await page.goto(url);
        const wider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        const bank = (await page.locator('header').innerText()).includes(BRAND);
        const found = [
          ...(wider ? ['wider than the screen'] : []),
          ...(bank ? [] : ['without the bank']),
          ...(await axeFaults(page)),
        ];
        if (found.length > 0) faults[url] = found;
      }
      expect(faults).toEqual({});
    },
    LIMIT_MS,
  );

  it('lead from each address to the others, and back', async () => {
    const page = await somebody();
    await page.goto(`${stack.userUrl}/errors/TOKEN_EXPIRED`);
    for (const name of [
      'Accounts, payments and webhooks',
      'Registration of clients',
      'Access tokens',
      'Pages for the users',
    ]) {
      await page.locator('footer').getByRole('link', { name }).click();
      await reads(page, 'Open banking interface');
    }
    expect(page.url()).toBe(`${stack.userUrl}/`);
  });

  describe('the guides', () => {
    it.each([true, false])(
      'are found by search and read one after another: scripts %s',
      async (javaScriptEnabled) => {
        const page = await somebody({ javaScriptEnabled });
        await page.goto(stack.authUrl);
        await page.locator('header').getByRole('link', { name: 'Guides' }).click();
        await page.locator('main').getByRole('link', { name: 'First call', exact: true }).click();
        expect(await page.locator('main').innerText()).toContain(`${stack.registrationUrl}/tpp`);
        await page.getByRole('link', { name: 'Certificates →' }).click();
        await reads(page, 'Certificates');
        await page.getByRole('link', { name: 'All checks' }).click();
        expect(await page.locator(':target').innerText()).toBe('All checks');
        await page.getByRole('searchbox').fill('Standard Webhooks libraries');
        await page.getByRole('button', { name: 'Search' }).click();
        await page.locator('main').getByRole('link', { name: 'Webhooks', exact: true }).click();
        await reads(page, 'Webhooks');
      },
    );

    it('lead users of the bank to their consents', async () => {
      const page = await somebody();
      await page.goto(stack.userUrl);
      await page.locator('main').getByRole('link', { name: 'Your consents' }).click();
      expect(new URL(page.url()).pathname).toMatch(/^\/consents/);
    });
  });

  describe('the reference', () => {
    it.each([true, false])(
      'is found by search, linked to a field, and read: scripts %s',
      async (javaScriptEnabled) => {
        const page = await somebody({ javaScriptEnabled });
        await page.goto(stack.baseUrl);
        await page.locator('header').getByRole('link', { name: 'Reference' }).click();
        await page.getByRole('searchbox').fill('nextCursor posted');
        await page.getByRole('button', { name: 'Search' }).click();
        await reads(page, 'Search');
        await page
          .locator('main')
          .getByRole('link', { name: 'List the transactions of an account: all pending' })
          .click();
        await page.goto(`${page.url()}#query-cursor`);
        expect(await page.locator(':target').innerText()).toContain('cursor');
        await page.getByText('Python', { exact: true }).click();
        expect(await page.locator('#sample-python pre').isVisible()).toBe(true);
      },
    );

    it('filters its list while somebody types', async () => {
      const page = await somebody({ viewport: DESKTOP });
      await page.goto(`${stack.baseUrl}/documentation`);
      await page.getByRole('searchbox').pressSequentially('funds body');
      const left = page.locator('#contents nav li:not([hidden])');
      expect(await left.allInnerTexts()).toEqual([expect.stringContaining('POST /funds-confirmation')]);
    });
  });

  it('a user who mistypes an address reads a sentence in their language, from their bank', async () => {
    const page = await somebody({ locale: 'da-DK', viewport: PHONE });
    await page.goto(`${stack.userUrl}/consent`);
    await reads(page, 'Vi kan ikke finde siden');
    expect(await page.locator('main').innerText()).toContain('Du kan lukke siden.');
    expect(await page.locator('header').innerText()).toBe(BRAND);
    expect(await axeFaults(page)).toEqual([]);
  });
});
