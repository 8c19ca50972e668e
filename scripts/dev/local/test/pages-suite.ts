import { createHmac } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { Browser, Page } from 'playwright-core';
import type { StackFile } from '../src/stack-file.ts';
import {
  account,
  axeFaults,
  describeWithChromium,
  isBack,
  isKnown,
  launchChromium,
  newPerson,
  PAGE_LIMIT_MS,
  type Person,
  press,
  reads,
} from './chromium.ts';
import { openTppApp, type Tokens, type TppApp } from './tpp-app.ts';

const NAME = 'Fjord Budget ApS';

/** @param running the stack that the tests use */
export const describePages = (running: () => StackFile): void =>
  describeWithChromium('the pages of the bank’s users, in Chromium (§5.9)', () => {
    let stack: StackFile;
    let browser: Browser;
    let tpp: TppApp;
    let people: Person[];

    beforeAll(async () => {
      stack = running();
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

    /** Chooses an account and waits until the browser is back at the TPP. */
    async function giveAccess(page: Page, name = 'Lønkonto'): Promise<void> {
      await account(page, name).check();
      await press(page, 'Give access');
      await isBack(page);
    }

    /** Opens the page that asks for accounts. */
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
        const labels = (await page.locator('.choice').allInnerTexts()).map((label) =>
          label.split(/\s*\n\s*/),
        );
        expect(labels).toEqual([
          ['Lønkonto', expect.stringMatching(/^\d{4} \d{10}\u{a0}·\u{a0}DKK$/u)],
          ['Budgetkonto', expect.stringMatching(/^\d{4} \d{10}\u{a0}·\u{a0}DKK$/u)],
          ['Sverigekonto', expect.stringMatching(/^\d{4}-\d{7}\u{a0}·\u{a0}SEK$/u)],
        ]);
      });

      it('reads that no account is chosen, and can go on', async () => {
        const { page } = await somebody();
        await ask(page);
        await press(page, 'Give access');
        expect(await page.getByRole('alert').innerText()).toBe('Choose at least one account, or cancel.');
        expect(tpp.callbacks).toEqual([]);
        await giveAccess(page);
      });

      it('withdraws it: its tokens end at once, others stay, and the TPP receives a signed webhook (§6)', async () => {
        const key = await tpp.subscribe('Consent.RevokedV1');
        const { page } = await somebody();
        const granted: Tokens[] = [];
        for (const name of ['Lønkonto', 'Budgetkonto']) {
          await page.goto(tpp.authorizeUrl({ login_hint: 'private-dk' }));
          await page.locator('button.chief').click();
          await isKnown(page);
          await giveAccess(page, name);
          granted.push(await tpp.redeem());
        }
        const [taken, kept] = granted as [Tokens, Tokens];
        const accountsOf = async ({ access_token: as }: Tokens) =>
          ((await tpp.call('GET', '/accounts', { as })).accounts as { id: string }[]).map(({ id }) => id);
        const [[id], keptIds] = [await accountsOf(taken), await accountsOf(kept)];

        const [{ consentId }] = taken.authorization_details as [{ consentId: string }];
        await page.goto(`${stack.userUrl}/consents/${consentId}/revoke`);
        await reads(page, `Withdraw your consent to ${NAME}?`);
        await press(page, 'Withdraw');
        await reads(page, 'Your consents');
        expect(await page.getByText('Withdrawn').count()).toBe(1);
        await press(page, 'Sign out');
        await reads(page, 'You are not signed in');

        expect(await accountsOf(taken)).toEqual([]);
        const refresh = ({ refresh_token }: Tokens) =>
          tpp.getTokens({ grant_type: 'refresh_token', refresh_token });
        await expect(refresh(taken)).rejects.toThrow(/400 .*invalid_grant/);
        // The attempt to refresh ends the access token, too.
        await expect(accountsOf(taken)).rejects.toThrow('401');
        expect(await accountsOf(kept)).toEqual(keptIds);
        expect(await refresh(kept)).toMatchObject({ token_type: 'Bearer' });

        const { body, signature } = await until(() => tpp.webhooks[0], { what: 'the webhook' });
        expect(signature).toBe(createHmac('sha256', key).update(body).digest('hex'));
        expect(JSON.parse(body)).toMatchObject({
          eventType: 'Consent.RevokedV1',
          data: { consentId, accountIds: [id], revokedAt: expect.any(String) as string },
        });
      });
    });

    describe('a user who says no, or nothing', () => {
      it.each([['Who are you?'], ['accounts']])('the user cancels on the page %j', async (where) => {
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

    describe('one answer', () => {
      it('stays when the user goes back', async () => {
        const { page } = await somebody();
        await ask(page);
        await giveAccess(page);
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
    });

    describe('another site', () => {
      /** Opens a page of the TPP's site. */
      async function visit(page: Page, html: string): Promise<void> {
        tpp.pages.set('/trap', `<!doctype html><title>Trap</title>${html}`);
        await page.goto(`${tpp.origin}/trap`);
      }

      it.each(['/consents', '/authorize/none', '/approvals/none'])('cannot frame %s', async (path) => {
        const { page, complaints } = await somebody();
        await visit(page, `<iframe src="${stack.userUrl}${path}"></iframe>`);
        const [, frame] = page.frames();
        await until(() => frame!.url().startsWith('chrome-error://') && complaints.length > 0, {
          what: 'the frame to be refused',
          timeout: PAGE_LIMIT_MS,
        });
        expect(complaints.splice(0).join()).toMatch(/frame-ancestors|X-Frame-Options/);
      });

      it('cannot send a form as the user, not even with all its fields', async () => {
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

      it('gets no reference to the page that it opens', async () => {
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

      const PHONE = { width: 360, height: 740 };
      const DESKTOP = { width: 1280, height: 800 };

      it.each([
        ['phone', 'light', PHONE, 'en-GB'],
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
          expect(await page.locator('html').getAttribute('lang')).toBe(locale.slice(0, 2));
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
