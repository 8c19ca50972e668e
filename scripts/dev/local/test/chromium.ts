import { existsSync } from 'node:fs';
import { until } from '@kontoport/embedded/wait';
import { describeWith } from '@kontoport/testing/describe-with';
import axe, { type AxeResults } from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';

/** Milliseconds that a page may take on a busy machine. */
export const PAGE_LIMIT_MS = 60_000;

const executablePath = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => path && existsSync(path));

/** A `describe` for tests in the system's browser. Without one the tests are skipped, with the reason. */
export function describeWithChromium(name: string, tests: () => void): void {
  const missing = executablePath ? undefined : 'no Chromium: install it, or name it in CHROMIUM';
  describeWith(name, { missing }, tests);
}

/** Starts a browser with a new profile. It reaches this machine only. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath!,
    args: [
      // Containers have no user namespaces; the pages are our own.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  });
}

/** A user with a browser context, and the faults that the browser reported. */
export interface Person {
  context: BrowserContext;
  page: Page;
  /** Faults of our pages in scripts, policies and resources. Refusals by status do not count. */
  complaints: string[];
}

/** Opens a browser context. It accepts the sandbox's CA, which no browser knows. */
export async function newPerson(browser: Browser, options: BrowserContextOptions = {}): Promise<Person> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB', ...options });
  context.setDefaultTimeout(PAGE_LIMIT_MS);
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    const isStatus = message.text().startsWith('Failed to load resource: the server responded with');
    if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text());
  });
  return { context, page: await context.newPage(), complaints };
}

/**
 * Waits until the browser shows an address. It polls, because a wait for a navigation fails when a second click starts
 * another navigation.
 */
export async function arrives(
  page: Page,
  options: { at: (url: URL) => boolean; what: string },
): Promise<void> {
  const { at, what } = options;
  await until(() => at(new URL(page.url())), {
    what: `a browser to arrive at ${what}`,
    timeout: PAGE_LIMIT_MS,
  });
  await page.waitForLoadState();
}

/** Waits until the browser is back at the TPP. */
export const isBack = (page: Page): Promise<void> =>
  arrives(page, { at: ({ pathname }) => pathname === '/welcome', what: 'the TPP’s own page' });

/** Waits until the user is known, and the page asks for accounts. */
export const isKnown = (page: Page): Promise<void> =>
  arrives(page, {
    at: ({ searchParams }) => searchParams.has('user'),
    what: 'the page that asks for accounts',
  });

/** Presses the button with these words. */
export const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name }).click();

/** The box of an account. */
export const account = (page: Page, name: string): Locator => page.getByRole('checkbox', { name });

/** Waits until the browser shows the page with this heading. */
export async function reads(page: Page, heading: string): Promise<void> {
  await until(
    async () => {
      const seen = (await page.getByRole('heading', { level: 1 }).allInnerTexts()).join();
      if (seen !== heading) throw new Error(`the page at ${page.url()} is headed “${seen}”`);
      return true;
    },
    { what: `a page that is headed “${heading}”`, timeout: PAGE_LIMIT_MS },
  );
}

/** Returns the faults that axe finds in the page, one line for each rule and element. */
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  // Violations only: the passed rules would be many times as long.
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(
    `axe.run({ resultTypes: ['violations'], rules: { 'label-content-name-mismatch': { enabled: true } } })
      .then(({ violations }) => ({ violations }))`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
