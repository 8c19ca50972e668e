import { until } from '@kontoport/embedded/wait';
import type { Browser, Page } from 'playwright-core';
import type { StackFile } from '../src/stack-file.ts';
import {
  account,
  axeFaults,
  describeWithChromium,
  directForms,
  isBack,
  isKnown,
  launchChromium,
  newPerson,
  PAGE_LIMIT_MS,
  type Person,
  press,
  reads,
} from './chromium.ts';
import { endingAt } from './expired-request.ts';
import { useStack } from './started-stack.ts';
import { openTppApp, type TppApp } from './tpp-app.ts';

const NAME = 'Fjord Budget ApS';

describeWithChromium('the pages of the bank’s users, in Chromium (§5.9)', () => {
  const { data, start } = useStack('file');
  let stack: StackFile;
  let browser: Browser;
  let tpp: TppApp;
  let people: Person[];

  beforeAll(async () => {
    stack = await start('--no-tour').ready();
    browser = await launchChromium();
    tpp = await openTppApp(stack, NAME);
  });
  afterAll(async () => {
    await tpp?.close();
    await browser?.close();
  });

  beforeEach(() => {
    people = [];
    tpp.callbacks.length = 0;
  });
  afterEach(async () => {
    const complaints = people.flatMap((person) => person.complaints);
    for (const { context } of people) await context.close();
    if (complaints.length > 0) throw new Error(`the browser complained:\n${complaints.join('\n')}`);
  });

  const somebody = async (options: Parameters<typeof newPerson>[1] = {}): Promise<Person> => {
    const person = await newPerson(browser, options);
    people.push(person);
    return person;
  };

  /** As far as the page that asks for accounts. */
  async function ask(page: Page, more: Record<string, string> = {}): Promise<void> {
    await page.goto(tpp.authorizeUrl(more));
    await press(page, 'Continue');
    await isKnown(page);
  }

  describe('a user who says yes', () => {
    it('chooses who they are and which accounts, and comes back with code, state and iss', async () => {
      const { page } = await somebody();
      await page.goto(tpp.authorizeUrl());
      await reads(page, 'Who are you?');
      await page.getByRole('radio', { name: 'Ingrid Solberg' }).check();
      await press(page, 'Continue');
      await reads(page, `${NAME} asks for access to your accounts`);
      await account(page, 'Felles konto DKK').check();
      await press(page, 'Give access');
      await isBack(page);
      expect(tpp.callbacks).toHaveLength(1);
      const [answer] = tpp.callbacks;
      expect(answer!.get('code')).toMatch(/^[\w-]{20,}$/);
      expect([answer!.get('state'), answer!.get('iss')]).toEqual(['a state', stack.authUrl]);
    });

    it('is named by login_hint, and sees their own CHECKING accounts with name, number and currency', async () => {
      const { page } = await somebody();
      await ask(page, { login_hint: 'business-dk' });
      expect(await page.getByText('You are signed in as').innerText()).toContain('Nordlys Møbler ApS');
      await page.getByRole('link', { name: 'Choose another user' }).click();
      await page.getByRole('radio', { name: 'Freja Lindholm' }).check();
      await press(page, 'Continue');
      await isKnown(page);
      const labels = (await page.locator('.choice').allInnerTexts()).map((label) => label.split(/\s*\n\s*/));
      expect(labels).toEqual([
        ['Lønkonto', expect.stringMatching(/^\d{4} \d{10}\u{a0}·\u{a0}DKK$/u)],
        ['Budgetkonto', expect.stringMatching(/^\d{4} \d{10}\u{a0}·\u{a0}DKK$/u)],
        ['Sverigekonto', expect.stringMatching(/^\d{4}-\d{7}\u{a0}·\u{a0}SEK$/u)],
      ]);
    });

    it('is told at once that no account is chosen, and can go on', async () => {
      const { page } = await somebody();
      await ask(page);
      await press(page, 'Give access');
      expect(await page.getByRole('alert').innerText()).toBe('Choose at least one account, or cancel.');
      expect(tpp.callbacks).toEqual([]);
      await account(page, 'Lønkonto').check();
      await press(page, 'Give access');
      await isBack(page);
    });

    it('sees it among their consents and takes it back', async () => {
      const { page } = await somebody();
      await ask(page, { login_hint: 'private-se' });
      await page.goto(`${stack.userUrl}/consents`);
      const live = page.locator('h2:has-text("In force") ~ section', { has: page.getByRole('link') });
      const before = await live.count();
      expect(before).toBeGreaterThan(0);
      await live.getByRole('link').first().click();
      await reads(page, `Withdraw your consent to ${NAME}?`);
      await page.getByRole('link', { name: 'Keep it' }).click();
      await reads(page, 'Your consents');
      expect(await live.count()).toBe(before);
      await live.getByRole('link').first().click();
      await press(page, 'Withdraw');
      await reads(page, 'Your consents');
      expect(await live.count()).toBe(before - 1);
      expect(await page.getByText('Withdrawn').count()).toBe(1);
      await press(page, 'Sign out');
      await reads(page, 'You are not signed in');
    });
  });

  describe('a user who says no, or nothing', () => {
    it.each([['Who are you?'], ['accounts']])('cancels where they are asked: %s', async (where) => {
      const { page } = await somebody();
      if (where === 'accounts') await ask(page);
      else await page.goto(tpp.authorizeUrl());
      await press(page, 'Cancel');
      await isBack(page);
      const [answer] = tpp.callbacks;
      expect(Object.fromEntries(answer!)).toMatchObject({
        error: 'access_denied',
        state: 'a state',
        iss: stack.authUrl,
      });
      expect(answer!.has('code')).toBe(false);
    });

    it('reads that a request is not open here when it is none, or was opened in another browser', async () => {
      const { page } = await somebody();
      await page.goto(`${stack.userUrl}/authorize/none`);
      await reads(page, 'This request is not open here');
      await page.goto(tpp.authorizeUrl());
      const another = await somebody();
      await another.page.goto(page.url());
      await reads(another.page, 'This request is not open here');
      expect(tpp.callbacks).toEqual([]);
    });
  });

  describe('a request whose time is over', () => {
    const ended = (page: Page, ahead: number): Promise<string> =>
      endingAt(new Date(Date.now() + ahead), { path: new URL(page.url()).pathname, data: data() });

    it.each(['Give access', 'Cancel'])('takes no answer of a page left open: %s', async (button) => {
      const { page } = await somebody();
      await ask(page);
      await account(page, 'Lønkonto').check();
      await directForms(page, await ended(page, -1));
      await press(page, button);
      await reads(page, 'This request is not open here');
      expect(tpp.callbacks).toEqual([]);
    });
  });

  describe('one answer', () => {
    it('stands when the user goes back, who is told so', async () => {
      const { page } = await somebody();
      await ask(page);
      await account(page, 'Lønkonto').check();
      await press(page, 'Give access');
      await isBack(page);
      await page.goBack();
      await reads(page, 'You have already answered');
      await page.getByRole('link', { name: 'See your consents' }).click();
      await reads(page, 'Your consents');
      expect(tpp.callbacks).toHaveLength(1);
    });

    it('is the same for a form that is sent twice', async () => {
      const { page } = await somebody();
      await ask(page);
      await account(page, 'Lønkonto').check();
      await page.getByRole('button', { name: 'Give access' }).dblclick();
      await isBack(page);
      const codes = new Set(tpp.callbacks.map((answer) => answer.get('code')));
      expect(codes.size).toBe(1);
    });

    it('is the one of the first of two tabs', async () => {
      const { context, page } = await somebody();
      await ask(page);
      const second = await context.newPage();
      await second.goto(page.url());
      await account(page, 'Lønkonto').check();
      await account(second, 'Budgetkonto').check();
      await press(page, 'Give access');
      await isBack(page);
      await press(second, 'Give access');
      await isBack(second);
      const [first, again] = tpp.callbacks.map((answer) => answer.get('code'));
      expect([first, tpp.callbacks.length]).toEqual([again, 2]);
    });

    it('is a yes although the second tab says no', async () => {
      const { context, page } = await somebody();
      await ask(page);
      const second = await context.newPage();
      await second.goto(page.url());
      await account(page, 'Lønkonto').check();
      await press(page, 'Give access');
      await isBack(page);
      await press(second, 'Cancel');
      await reads(second, 'You have already answered');
      expect(tpp.callbacks).toHaveLength(1);
    });

    it('of one request leaves another in the same browser open', async () => {
      const { context, page } = await somebody();
      await ask(page, { state: 'one' });
      const second = await context.newPage();
      await ask(second, { state: 'two', login_hint: 'private-no' });
      await account(page, 'Lønkonto').check();
      await press(page, 'Give access');
      await isBack(page);
      await account(second, 'Felles konto DKK').check();
      await press(second, 'Give access');
      await isBack(second);
      expect(tpp.callbacks.map((answer) => answer.get('state'))).toEqual(['one', 'two']);
    });
  });

  describe('another site', () => {
    /** Opens a page of the TPP's site. */
    async function visit(page: Page, html: string): Promise<void> {
      tpp.pages.set('/trap', `<!doctype html><title>Trap</title>${html}`);
      await page.goto(`${tpp.origin}/trap`);
    }

    it.each(['/consents', '/authorize/none', '/approvals/none'])('gets no %s into a frame', async (path) => {
      const { page, complaints } = await somebody();
      await visit(page, `<iframe src="${stack.userUrl}${path}"></iframe>`);
      const [, frame] = page.frames();
      await until(() => frame!.url().startsWith('chrome-error://') && complaints.length > 0, {
        what: 'the frame to be refused',
        timeout: PAGE_LIMIT_MS,
      });
      expect(complaints.splice(0).join()).toMatch(/frame-ancestors|X-Frame-Options/);
    });

    it('cannot send a form as the user, not even with its words right', async () => {
      const { page } = await somebody();
      await ask(page);
      const form = await page
        .locator('form')
        .first()
        .evaluate((element) => element.outerHTML);
      const trap = form.replace('action="', `action="${stack.userUrl}`);
      const id = await account(page, 'Lønkonto').getAttribute('name');
      await visit(page, trap.replace('</form>', `<input name="${id}" value="on"></form>`));
      const sent = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.evaluate('document.forms[0].submit()');
      expect((await sent).status()).toBeGreaterThanOrEqual(400);
      expect(tpp.callbacks).toEqual([]);
    });

    it('is not told where the user came from, nor keeps a hold on the page', async () => {
      const { context, page } = await somebody();
      await visit(page, `<a href="${stack.userUrl}/consents" target="_blank" rel="opener">x</a>`);
      const [opened] = await Promise.all([context.waitForEvent('page'), page.click('a')]);
      await reads(opened, 'You are not signed in');
      expect(await opened.evaluate('window.opener')).toBeNull();
    });
  });

  describe('everybody', () => {
    it('gets through by keyboard alone, and sees where they are', async () => {
      const { page } = await somebody();
      const tab = async (): Promise<string> => {
        await page.keyboard.press('Tab');
        const focused = page.locator(':focus');
        const outlined = 'element => getComputedStyle(element.closest(".choice") ?? element).outlineStyle';
        expect(await focused.evaluate(`(${outlined})(document.activeElement)`)).toBe('solid');
        return focused.evaluate(
          'document.activeElement.closest("label")?.innerText ?? document.activeElement.innerText',
        );
      };
      await page.goto(tpp.authorizeUrl());
      expect(await tab()).toContain('Freja Lindholm');
      await page.keyboard.press('ArrowDown');
      expect(await page.locator(':checked').getAttribute('value')).not.toBeNull();
      expect(await tab()).toBe('Continue');
      await page.keyboard.press('Enter');
      await isKnown(page);
      expect(await tab()).toBe('Choose another user');
      expect(await tab()).toContain('Driftskonto');
      await page.keyboard.press('Space');
      expect(await tab()).toContain('Driftskonto SEK');
      expect(await tab()).toBe('Give access');
      expect(await tab()).toBe('Cancel');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await isBack(page);
      expect(tpp.callbacks[0]!.has('code')).toBe(true);
    });

    it.each([
      ['en-GB', 'en', 'Who are you?'],
      ['da-DK', 'da', 'Hvem er du?'],
      ['sv-SE', 'sv', 'Vem är du?'],
      ['nb-NO', 'nb', 'Hvem er du?'],
      ['de-DE', 'en', 'Who are you?'],
    ])('whose browser speaks %s reads %s: %s', async (locale, language, words) => {
      const { page } = await somebody({ locale });
      await page.goto(tpp.authorizeUrl());
      await reads(page, words);
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
    });

    const PHONE = { width: 360, height: 740 };
    const DESKTOP = { width: 1280, height: 800 };

    it.each([
      ['phone', 'light', PHONE, 'en-GB'],
      ['phone', 'dark', PHONE, 'da-DK'],
      ['desktop', 'light', DESKTOP, 'sv-SE'],
      ['desktop', 'dark', DESKTOP, 'nb-NO'],
    ] as const)(
      'on a %s in %s has pages that fit, in which axe finds no fault',
      async (_device, colorScheme, viewport, locale) => {
        const { page } = await somebody({ viewport, colorScheme, locale });
        const faults: Record<string, string[]> = {};
        /** Checks the page that has this, whatever its language. */
        const look = async (selector: string): Promise<void> => {
          await page.locator(selector).first().waitFor();
          const wider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
          const found = [...(wider ? ['wider than the screen'] : []), ...(await axeFaults(page))];
          if (found.length > 0) faults[page.url()] = found;
        };
        const chief = page.locator('button.chief');
        await page.goto(tpp.authorizeUrl());
        await look('input[type=radio]');
        await chief.click();
        await look('input[type=checkbox]');
        await chief.click();
        await look('[role=alert]');
        await page.goto(`${stack.userUrl}/consents`);
        await look('section.card');
        await page.locator('section').getByRole('link').first().click();
        await look('form[action$="/revoke"]');
        await page.locator('a.button').click();
        await look('section.card');
        await page.locator('form[action$="/logout"] button').click();
        await page.locator('section.card').waitFor({ state: 'detached' });
        await look('h1');
        for (const path of ['/authorize/none', '/approvals/none', '/consents?client_id=none']) {
          await page.goto(stack.userUrl + path);
          await look('h1');
        }
        await page.goto(`${stack.userUrl}/consents?client_id=${tpp.clientId}`);
        await look('input[type=radio]');
        expect(faults).toEqual({});
      },
    );
  });
});
