import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { ApprovalPayment } from '@kontoport/proto/payments/v1';
import { type BankUser, type UserAuthentication } from '../src/user-session/user-authentication.ts';
import { TestBrowser, type Visit } from './browser.ts';
import { cardsOf, expectGuarded, formsOf, headingOf, onwardsOf, type PageForm } from './page.ts';
import { authWith, countOf, surroundAuth, type Surroundings } from './running.ts';
import { end, keepApproval, type KeptApproval, PAYMENT, type TestPayments } from './test-payments.ts';

const NAME = 'Fjord & <b>Budget</b>';
const WRITTEN = 'Fjord &amp; &lt;b&gt;Budget&lt;/b&gt;';
const CALLBACK = 'https://tpp.test/callback?state=a%20b';
const FREJA: BankUser = { userId: randomUUID(), name: 'Freja Lindholm', loginHint: 'private-dk' };
const ERIK: BankUser = { userId: randomUUID(), name: 'Erik Lund', loginHint: 'private-se' };

const twoUsers: UserAuthentication = {
  usersFor: async () => [FREJA, ERIK],
  findUser: async ({ userId }) => [FREJA, ERIK].find((user) => user.userId === userId),
};

let around: Surroundings;
let payments: TestPayments;
let userOrigin: string;
let clientId: string;

beforeAll(async () => {
  around = await surroundAuth();
  ({ payments } = around);
  ({ userOrigin } = await around.start(
    {},
    authWith(() => twoUsers),
  ));
  ({ clientId } = await around.peers.addTpp({ displayName: NAME }));
  const { approvalId } = ask();
  await until(
    async () =>
      (await new TestBrowser().visit(`${userOrigin}/approvals/${approvalId}`)).text.includes('Fjord'),
    { what: 'the TPP to be known' },
  );
}, 120_000);
afterAll(() => around.close());
beforeEach(() => {
  payments.asked.length = 0;
  payments.decided.length = 0;
  payments.onDecision = undefined;
});

const ask = (more: Partial<Parameters<typeof keepApproval>[1]> = {}): KeptApproval =>
  keepApproval(payments, { clientId, userId: FREJA.userId, redirectUrl: CALLBACK, ...more });

interface Identified {
  browser: TestBrowser;
  approval: KeptApproval;
  /** The address of the page for this browser. */
  path: string;
  page: Visit;
  approve: PageForm;
  decline: PageForm;
}

/** Opens an approval in a browser up to the question, with an identified user. */
async function identified(
  approval = ask(),
  { user = FREJA, browser = new TestBrowser(), language = 'en' } = {},
): Promise<Identified> {
  const first = await browser.visit(`${userOrigin}/approvals/${approval.approvalId}/user`);
  const { user: form } = formsOf(first);
  const { location } = await browser.send(userOrigin + form!.action, { ...form!.fields, user: user.userId });
  const headers = { 'x-language': language };
  const page = await browser.visit(userOrigin + location!, { headers });
  const { approve, decline } = formsOf(page);
  return { browser, approval, path: location!, page, approve: approve!, decline: decline! };
}

describe('the page of an approval (§4.4)', () => {
  it('asks who the user is before it shows anything of accounts and payments', async () => {
    const { approvalId } = ask();
    const browser = new TestBrowser();
    const page = await browser.visit(`${userOrigin}/approvals/${approvalId}`);
    expect([page.status, headingOf(page)]).toEqual([200, 'Who are you?']);
    expectGuarded(page);
    expect(page.text).toContain(WRITTEN);
    expect(page.text).not.toContain('Havnens');
    expect(formsOf(page).user!.choices.map(({ value }) => value)).toEqual([FREJA.userId, ERIK.userId]);
    expect(payments.asked).toEqual([{ approvalId, userId: '' }]);
  });

  it('shows who asks, from which account, to whom, how much, and until when, as text', async () => {
    const expiresAt = new Date('2027-01-01T11:35:00Z');
    const { page } = await identified(
      ask({ expiresAt, payments: [{ ...PAYMENT, payeeName: '<i>Havn</i>' }] }),
    );
    expectGuarded(page);
    expect(headingOf(page)).toBe(`${WRITTEN} asks you to approve a payment`);
    expect(page.text).toMatch(
      new RegExp(
        `The certificate of ${WRITTEN} names the authority DK-DFSA and the organization PSDDK-DFSA-[\\w-]+\\.`,
      ),
    );
    expect(cardsOf(page)).toEqual([
      {
        '': 'DKK 8,250.00',
        To: '&lt;i&gt;Havn&lt;/i&gt;',
        Account: '0040 0440116243',
        'Payment reference': 'Rent for December',
        From: 'Freja Lindholm 5301 0000123456',
      },
    ]);
    expect(page.text).toContain('You can answer until 12:35.');
    expect(page.text).toContain('You are signed in as Freja Lindholm.');
    expect(page.text).not.toContain('In total');
  });

  it('shows a warning about a payment in the language of the page', async () => {
    const warnings = [{ en: 'English.', da: 'Dansk.', sv: 'Svenska <i>.', nb: 'Norsk.' }];
    const { page } = await identified(ask({ payments: [{ ...PAYMENT, warnings }] }), { language: 'sv' });
    expect(page.text).toContain('<p class="soft">Svenska &lt;i&gt;.</p>');
  });

  it('shows every payment of a basket, and the sum for each currency', async () => {
    const giro: ApprovalPayment = {
      ...PAYMENT,
      senderBban: '97121182034',
      payeeName: 'Elbolaget AB',
      payeeNumberType: 'BANKGIRO',
      payeeNumber: '991-2346',
      reference: '12345682',
      amount: { value: '99.50', currency: 'SEK' },
      executionDate: '2026-12-01',
    };
    const { page } = await identified(
      ask({
        payments: [PAYMENT, giro, { ...giro, payeeNumberType: 'PLUSGIRO', payeeNumber: '28 65 43-4' }],
        sums: [
          { value: '8250.00', currency: 'DKK' },
          { value: '199.00', currency: 'SEK' },
        ],
      }),
      { language: 'sv' },
    );
    expect(headingOf(page)).toBe(`${WRITTEN} ber dig godkänna 3 betalningar`);
    expect(cardsOf(page).slice(1)).toEqual([
      {
        '': '99,50 SEK',
        Till: 'Elbolaget AB',
        Bankgiro: '991-2346',
        Referens: '12345682',
        Dag: '1 december 2026',
        Från: 'Freja Lindholm 9712-1182034',
      },
      expect.objectContaining({ Plusgiro: '28 65 43-4' }),
    ]);
    const [, sums = ''] = /Totalt<\/h2>\s*<ul class="sums">([\s\S]*?)<\/ul>/.exec(page.text) ?? [];
    expect(sums.match(/<strong>[^<]+/g)!.map((sum) => sum.slice(8).replaceAll(/\s/g, ' '))).toEqual([
      '8 250,00 DKK',
      '199,00 SEK',
    ]);
  });

  it.each([
    ['', 'indtil den bliver stoppet'],
    ['2027-12-31', '31. december 2027'],
  ])('shows when a standing order runs, which ends %j', async (endDate, last) => {
    const schedule = { startDate: '2026-12-31', endDate, frequency: 'Monthly' };
    const { page } = await identified(ask({ payments: [{ ...PAYMENT, schedule }] }), { language: 'da' });
    expect(headingOf(page)).toBe(`${WRITTEN} beder dig godkende en fast overførsel`);
    expect(cardsOf(page)).toEqual([
      expect.objectContaining({
        'Hvor ofte': 'hver måned',
        'Fra og med': '31. december 2026',
        'Til og med': last,
      }),
    ]);
  });

  it.each([
    ['en', 'asks you to approve a payment', 'Approve', 'Decline'],
    ['da', 'beder dig godkende en betaling', 'Godkend', 'Afvis'],
    ['sv', 'ber dig godkänna en betalning', 'Godkänn', 'Avvisa'],
    ['nb', 'ber deg godkjenne en betaling', 'Godkjenn', 'Avvis'],
  ])('speaks %s', async (language, words, yes, no) => {
    const { page } = await identified(ask(), { language });
    expect(page.text).toContain(`<html lang="${language}">`);
    expect(headingOf(page)).toContain(words);
    expect([page.text.includes(`>${yes}<`), page.text.includes(`>${no}<`)]).toEqual([true, true]);
  });

  it('is 404 for another user, who cannot answer', async () => {
    const approval = ask();
    const { browser, page } = await identified(approval, { user: ERIK });
    expect([page.status, headingOf(page)]).toEqual([404, 'This approval link is not valid']);
    const unknown = await browser.visit(`${userOrigin}/approvals/${randomUUID()}`);
    expect(page.text).toBe(unknown.text);
    const own = await identified();
    const forged = { ...own.approve.fields, user: ERIK.userId };
    expect((await own.browser.send(userOrigin + own.approve.action, forged)).status).toBe(409);
    expect(payments.decided).toEqual([]);
  });

  it('asks for the user again in another browser and at a forged address', async () => {
    const { path, approval } = await identified();
    const made = `/approvals/${approval.approvalId}?user=${FREJA.userId}&proof=${'x'.repeat(43)}`;
    for (const address of [path, made]) {
      const page = await new TestBrowser().visit(userOrigin + address);
      expect([page.status, headingOf(page)]).toEqual([200, 'Who are you?']);
      expect(page.text).not.toContain('Havnens');
    }
  });

  it('stores nothing for a browser that only opens it', async () => {
    const before = await countOf(around.database.url, 'user_session');
    const { approvalId } = ask();
    await new TestBrowser().visit(`${userOrigin}/approvals/${approvalId}`);
    expect(await countOf(around.database.url, 'user_session')).toBe(before);
  });
});

describe('the answer of a user (§4.4)', () => {
  it.each([
    ['approve', 'Du har godkendt anmodningen', CALLBACK],
    ['decline', 'Anmodningen er ikke blevet godkendt', `${CALLBACK}&error=access_denied`],
  ] as const)('%s is told with what was shown, and leads back', async (decision, words, back) => {
    const { browser, approval, ...forms } = await identified();
    const { digest } = approval.shown.content!;
    const form = forms[decision];
    const left = await browser.send(userOrigin + form.action, form.fields, { 'x-language': 'da' });
    expect([left.status, headingOf(left), onwardsOf(left).href]).toEqual([200, words, back]);
    expectGuarded(left);
    expect(left.text).toContain(`href="${back.replaceAll('&', '&amp;')}"`);
    const { approvalId, userId } = approval;
    expect(payments.decided).toEqual([{ approvalId, userId, decision, digest, language: 'da' }]);
  });

  it('waits on a page that reloads itself while the bank asks', async () => {
    payments.onDecision = ({ shown }) => {
      shown.standing!.isAnswered = true;
      shown.approvalUrl = 'https://bank.test/approve?a=1&b=2';
    };
    const { browser, approval, approve, path } = await identified();
    const sent = await browser.send(userOrigin + approve.action, approve.fields);
    expect([sent.status, sent.location]).toEqual([303, `${path}&answered=yes`]);
    const waiting = await browser.visit(userOrigin + sent.location!);
    expect([waiting.status, headingOf(waiting)]).toEqual([200, 'Confirm with your bank']);
    expectGuarded(waiting);
    expect(waiting.headers.get('refresh')).toBe('3');
    expect(waiting.text).toContain('href="https://bank.test/approve?a=1&amp;b=2"');
    expect(formsOf(waiting)).toEqual({});
    // A second visit of the link shows the same state.
    const again = await browser.visit(userOrigin + path);
    expect(headingOf(again)).toBe('Confirm with your bank');
    end(approval, 'APPROVED');
    const left = await browser.visit(userOrigin + sent.location!);
    expect([left.status, onwardsOf(left).href]).toEqual([200, CALLBACK]);
    expect(payments.decided).toHaveLength(1);
  });

  it.each([
    ['APPROVED', 'You have approved the request', CALLBACK],
    ['REJECTED', 'The request has not been approved', `${CALLBACK}&error=access_denied`],
    ['EXPIRED', 'The time to answer has passed', `${CALLBACK}&error=expired`],
  ] as const)('is shown to later visitors without leading away: %s', async (status, words, back) => {
    const { browser, approval, path } = await identified();
    end(approval, status);
    for (const visitor of [browser, new TestBrowser()]) {
      const page = await visitor.visit(userOrigin + path);
      expect([page.status, headingOf(page)]).toEqual([200, words]);
      expect(page.headers.get('refresh')).toBeNull();
      expect(page.text).toContain(`href="${back.replaceAll('&', '&amp;')}"`);
      expect(page.text).not.toContain('Havnens');
    }
  });

  it('is the one of payments, when it came too late', async () => {
    const { browser, approval, approve } = await identified();
    payments.onDecision = () => end(approval, 'EXPIRED');
    const left = await browser.send(userOrigin + approve.action, approve.fields);
    expect([headingOf(left), onwardsOf(left).href]).toEqual([
      'The time to answer has passed',
      `${CALLBACK}&error=expired`,
    ]);
  });

  it('belongs to one link only, also in the same browser', async () => {
    const one = await identified();
    const other = await identified(ask(), { browser: one.browser });
    const crossed = await one.browser.send(userOrigin + one.approve.action, other.approve.fields);
    expect(crossed.status).toBe(409);
    expect(payments.decided).toEqual([]);
    const own = await one.browser.send(userOrigin + one.approve.action, one.approve.fields);
    expect(own.status).toBe(200);
    expect(other.approval.shown.standing!.status).toBe('AWAITING_APPROVAL');
  });
});

describe('a form that is not the page’s own (§4.4)', () => {
  // forged-forms.test.ts has the faults that the wrapper of all pages refuses.
  it.each<[string, number, (page: Identified) => Record<string, string> | Promise<Record<string, string>>]>([
    [
      'the token of the other button',
      409,
      ({ approve, decline }) => ({ ...approve.fields, token: decline.fields.token! }),
    ],
    ['another digest', 409, ({ approve: { fields } }) => ({ ...fields, digest: 'x'.repeat(43) })],
    ['an endless digest', 400, ({ approve: { fields } }) => ({ ...fields, digest: 'x'.repeat(101) })],
    ['another user', 409, ({ approve: { fields } }) => ({ ...fields, user: ERIK.userId })],
    ['a user that is no id', 400, ({ approve: { fields } }) => ({ ...fields, user: 'x' })],
    ['an unknown field', 400, ({ approve: { fields } }) => ({ ...fields, more: 'x' })],
    [
      'the token of another browser',
      409,
      async ({ approve: { fields }, approval }) => ({
        ...fields,
        token: (await identified(approval)).approve.fields.token!,
      }),
    ],
  ])('is refused and decides nothing: with %s (%i)', async (_what, status, change) => {
    const page = await identified();
    const answer = await page.browser.send(userOrigin + page.approve.action, await change(page));
    expect(answer.status).toBe(status);
    expectGuarded(answer);
    expect(payments.decided).toEqual([]);
  });

  it('sent again gets the outcome of the first answer', async () => {
    const { browser, approve, decline } = await identified();
    payments.onDecision = (approval, { decision }) => {
      if (approval.shown.content !== undefined)
        end(approval, decision === 'approve' ? 'APPROVED' : 'REJECTED');
    };
    const answers = [
      await browser.send(userOrigin + approve.action, approve.fields),
      await browser.send(userOrigin + approve.action, approve.fields),
      await browser.send(userOrigin + decline.action, decline.fields),
    ];
    expect(answers.map((answer) => [answer.status, onwardsOf(answer).href])).toEqual(
      answers.map(() => [200, CALLBACK]),
    );
  });
});
