import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { ApiError } from '@kontoport/errors';
import { said } from '@kontoport/testing/said';
import { approvalsOf, type Asked, TestAuthentication, withUserApproval } from './approval-client.ts';
import { readTransfers } from './read-transfers.ts';
import { type Caller, DRAFTS, REDIRECT, type RunningPayments, startPayments } from './running-payments.ts';
import { USER } from './test-bank.ts';

const CALLBACK = `${REDIRECT}?state=a%20b&x=1`;
const UNKNOWN = { code: 'RESOURCE_UNKNOWN' };

const authentication = new TestAuthentication();
let service: RunningPayments;
let users: ReturnType<typeof approvalsOf>;
let tpp: Caller;
let account: string;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '1h', adapters: withUserApproval(authentication) });
  users = approvalsOf(service);
  tpp = await service.caller();
  account = service.bank.addAccount({ clientId: tpp.clientId, available: '1000000' });
});
afterAll(() => service.close());
beforeEach(() => {
  authentication.says = 'approved';
  authentication.approvalUrl = undefined;
});

const USERS = { userId: USER, redirectUrl: CALLBACK };
const approve = { userId: USER, decision: 'approve' };
const decline = { userId: USER, decision: 'decline' };

async function ask(count = 2): Promise<Asked> {
  const draftIds: string[] = [];
  while (draftIds.length < count) draftIds.push(await tpp.validDraft(account, `${100 + draftIds.length}.50`));
  return users.ask(tpp, draftIds, USERS);
}

describe('an approval that asks its user (§3.2, §4.4)', () => {
  it('shows from which account, to whom, how much, to the user who is asked', async () => {
    const { shown, draftIds } = await ask();
    expect(shown).toEqual({
      clientId: tpp.clientId,
      standing: { status: 'AWAITING_APPROVAL', isAnswered: false, returnUrl: CALLBACK },
      isAsked: true,
      expiresAt: expect.any(Date) as Date,
      approvalUrl: '',
      content: {
        digest: expect.stringMatching(/^[\w-]{43}$/) as string,
        payments: ['100.50', '101.50'].map((value) => ({
          senderAccountId: account,
          senderBban: '00400440116251',
          senderOwnerName: 'Test Owner',
          payeeName: 'Receiver',
          payeeNumberType: 'BBAN',
          payeeNumber: '00400440116243',
          reference: 'Rent',
          amount: { value, currency: 'DKK' },
          executionDate: '',
          schedule: undefined,
          warnings: [],
        })),
        sums: [{ value: '202.00', currency: 'DKK' }],
      },
    });
    const { body } = await tpp.call('GET', `${DRAFTS}/${draftIds[0]}`);
    expect(body).toMatchObject({ status: 'AWAITING_APPROVAL', paymentId: expect.any(String) as string });
  });

  it('lasts a quarter of an hour from its beginning', async () => {
    const { shown, draftIds } = await ask(1);
    const { body } = await tpp.call('GET', `${DRAFTS}/${draftIds[0]}`);
    expect(shown.expiresAt!.getTime() - Date.parse(String(body.updatedAt))).toBe(15 * 60_000);
  });

  it('shows no account or payment before the user is known', async () => {
    const { approvalId, shown } = await ask(1);
    expect(await users.get(approvalId)).toEqual({ ...shown, content: undefined });
  });

  it('is 404 for another user', async () => {
    const asked = await ask(1);
    const userId = randomUUID();
    await expect(users.get(asked.approvalId, userId)).rejects.toMatchObject(UNKNOWN);
    for (const decision of ['approve', 'decline'])
      await expect(users.decide(asked, { userId, decision })).rejects.toMatchObject(UNKNOWN);
    expect(await users.told(tpp, asked)).toEqual({
      status: 'AWAITING_APPROVAL',
      drafts: ['AWAITING_APPROVAL'],
    });
    expect(authentication.countOf(asked.approvalId)).toBe(0);
  });

  it('makes payments of its drafts once the user has agreed and the bank has authenticated', async () => {
    const asked = await ask();
    expect(await users.decide(asked, approve)).toEqual({
      status: 'APPROVED',
      isAnswered: false,
      returnUrl: CALLBACK,
    });
    expect(await users.told(tpp, asked)).toEqual({ status: 'APPROVED', drafts: ['PENDING', 'PENDING'] });
    const [order] = authentication.orders.filter(({ approvalId }) => approvalId === asked.approvalId);
    expect(order).toMatchObject({
      userId: USER,
      digest: asked.digest,
      clientName: 'Test TPP',
      language: 'da',
      expiresAt: asked.shown.expiresAt,
      summary: {
        clientId: tpp.clientId,
        payments: [{ amount: '100.50' }, { amount: '101.50' }],
        sums: [{ amount: '202.00', currency: 'DKK' }],
      },
    });
  });

  it('rejects its drafts for good when the user declines, without a request to the bank', async () => {
    const asked = await ask();
    expect(await users.decide(asked, decline)).toEqual({
      status: 'REJECTED',
      isAnswered: false,
      returnUrl: `${CALLBACK}&error=access_denied`,
    });
    expect(await users.told(tpp, asked)).toEqual({ status: 'REJECTED', drafts: ['REJECTED', 'REJECTED'] });
    expect(authentication.countOf(asked.approvalId)).toBe(0);
    const { body } = await tpp.call('GET', `${DRAFTS}/${asked.draftIds[0]}`);
    expect(body.rejection).toEqual({
      errorCode: 'STATUS_INVALID',
      message: 'The user did not approve the payment.',
    });
    const again = await tpp.approve([asked.draftIds[0]!]);
    expect([again.status, again.body.errorCode]).toEqual([400, 'STATUS_INVALID']);
  });

  it.each([
    ['is declined', 'declined' as const, 'access_denied'],
    ['fails', 'failed' as const, 'failed'],
    ['cannot be asked', new ApiError('FORMAT_ERROR', said('no')), 'failed'],
  ])('is rejected when the authentication %s', async (_how, says, error) => {
    authentication.says = says;
    const asked = await ask(1);
    expect(await users.decide(asked, approve)).toEqual({
      status: 'REJECTED',
      isAnswered: false,
      returnUrl: `${CALLBACK}&error=${error}`,
    });
    expect((await users.get(asked.approvalId)).standing!.returnUrl).toBe(`${CALLBACK}&error=${error}`);
    expect((await users.told(tpp, asked)).drafts).toEqual(['REJECTED']);
  });

  it('appends the error to a redirectUrl without query as its query', async () => {
    const draftIds = [await tpp.validDraft(account)];
    const asked = await users.ask(tpp, draftIds, { userId: USER, redirectUrl: REDIRECT });
    expect((await users.decide(asked, decline)).returnUrl).toBe(`${REDIRECT}?error=access_denied`);
  });

  it('waits without a page for the decision of the bank', async () => {
    authentication.says = 'pending';
    authentication.approvalUrl = 'https://bank.test/approve';
    const asked = await ask(1);
    expect(asked.shown.approvalUrl).toBe('');
    expect(await users.decide(asked, approve)).toMatchObject({
      status: 'AWAITING_APPROVAL',
      isAnswered: true,
    });
    expect((await users.get(asked.approvalId, USER)).approvalUrl).toBe('https://bank.test/approve');
    expect((await users.get(asked.approvalId)).approvalUrl).toBe('');
    await until(() => authentication.countOf(asked.approvalId) > 1, { what: 'the bank to be asked again' });
    expect(await users.told(tpp, asked)).toMatchObject({ status: 'AWAITING_APPROVAL' });
    authentication.says = 'declined';
    await users.reaches(tpp, asked, 'REJECTED');
    expect((await users.get(asked.approvalId, USER)).approvalUrl).toBe('');
  });

  it('asks the bank again while it gives no answer', async () => {
    authentication.says = new ApiError('UNAVAILABLE', said('no'));
    const asked = await ask(1);
    expect(await users.decide(asked, approve)).toMatchObject({
      status: 'AWAITING_APPROVAL',
      isAnswered: true,
    });
    await until(() => authentication.countOf(asked.approvalId) > 2, { what: 'the bank to be asked again' });
    authentication.says = 'approved';
    await users.reaches(tpp, asked, 'APPROVED');
  });

  it('protects its drafts: they cannot be changed, approved elsewhere or cancelled', async () => {
    const { draftIds } = await ask(1);
    const path = `${DRAFTS}/${draftIds[0]}`;
    const answers = [
      await tpp.call('PATCH', path, { amount: '1' }),
      await tpp.call('DELETE', `${path}/payment`),
      await tpp.call('DELETE', path),
      await tpp.approve(draftIds),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 400]);
    expect((await tpp.call('GET', path)).body).toMatchObject({
      status: 'AWAITING_APPROVAL',
      amount: '100.50',
    });
  });
});

describe('the first decision is final (§4.4)', () => {
  it('of twenty concurrent approvals and refusals', async () => {
    const asked = await ask();
    const standings = await Promise.all(
      Array.from({ length: 20 }, (_, i) => users.decide(asked, i % 2 === 0 ? approve : decline)),
    );
    const { status } = await users.told(tpp, asked);
    expect(['APPROVED', 'REJECTED']).toContain(status);
    const possible = status === 'APPROVED' ? ['AWAITING_APPROVAL', 'APPROVED'] : ['REJECTED'];
    for (const standing of standings) expect(possible).toContain(standing.status);
    expect(authentication.countOf(asked.approvalId)).toBe(status === 'APPROVED' ? 1 : 0);
  });

  it('against a refusal after an approval, before and after the decision of the bank', async () => {
    authentication.says = 'pending';
    const waiting = await ask(1);
    await users.decide(waiting, approve);
    expect(await users.decide(waiting, decline)).toMatchObject({
      status: 'AWAITING_APPROVAL',
      isAnswered: true,
    });
    authentication.says = 'approved';
    await users.reaches(tpp, waiting, 'APPROVED');
    expect(await users.decide(waiting, decline)).toMatchObject({ status: 'APPROVED', returnUrl: CALLBACK });
  });

  it('against an approval after a refusal', async () => {
    const asked = await ask(1);
    await users.decide(asked, decline);
    expect(await users.decide(asked, approve)).toMatchObject({ status: 'REJECTED' });
    expect(authentication.countOf(asked.approvalId)).toBe(0);
  });
});

describe('a decision is bound to the shown content (§3.2)', () => {
  it.each(['approve', 'decline'])(
    '%s of something else is refused, and decides nothing',
    async (decision) => {
      const [asked, other] = [await ask(1), await ask(1)];
      for (const digest of [other.digest, 'x'.repeat(43)])
        await expect(users.decide(asked, { userId: USER, decision, digest })).rejects.toMatchObject({
          code: 'STATUS_INVALID',
        });
      expect((await users.get(asked.approvalId)).standing).toMatchObject({ isAnswered: false });
      expect(await users.decide(asked, decline)).toMatchObject({ status: 'REJECTED' });
    },
  );

  it.each([
    ['another word', { decision: 'maybe' }],
    ['nobody', { userId: '' }],
    ['somebody who is none', { userId: 'user' }],
    ['an endless digest', { digest: 'x'.repeat(129) }],
    ['no digest', { digest: '' }],
    ['another language', { language: 'de' }],
  ])('is none with %s', async (_what, change) => {
    const asked = await ask(1);
    await expect(users.decide(asked, { ...approve, ...change })).rejects.toMatchObject(UNKNOWN);
    expect((await users.get(asked.approvalId)).standing).toMatchObject({ isAnswered: false });
  });
});

describe('unknown approval links (§4.4)', () => {
  it('are 404 without a call to the bank', async () => {
    const asked = await ask(1);
    const before = [authentication.orders.length, service.bank.asked.length];
    const links = [
      '',
      'x'.repeat(129),
      '__proto__',
      `${asked.approvalId}x`,
      ...Array.from({ length: 50 }, randomUUID),
    ];
    const answers = await Promise.allSettled(links.map((link) => users.get(link, USER)));
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'RESOURCE_UNKNOWN' } });
    expect([authentication.orders.length, service.bank.asked.length]).toEqual(before);
    expect(await users.decide(asked, approve)).toMatchObject({ status: 'APPROVED' });
  });
});

describe('a user who does not answer (§3.2)', () => {
  let brief: RunningPayments;
  let briefUsers: ReturnType<typeof approvalsOf>;
  beforeAll(async () => {
    brief = await startPayments({
      settlementDelay: '1h',
      adapters: withUserApproval(authentication),
      env: { APPROVAL_LIFETIME: '1s' },
    });
    briefUsers = approvalsOf(brief);
  });
  afterAll(() => brief.close());

  it('ends the basket for good, with and without a request to the bank', async () => {
    authentication.says = 'pending';
    const asking = await brief.caller();
    const from = brief.bank.addAccount({ clientId: asking.clientId });
    const silent = await briefUsers.ask(asking, [await asking.validDraft(from)], USERS);
    const answered = await briefUsers.ask(asking, [await asking.validDraft(from)], USERS);
    await briefUsers.decide(answered, approve);
    for (const asked of [silent, answered]) {
      await briefUsers.reaches(asking, asked, 'EXPIRED');
      expect(await briefUsers.told(asking, asked)).toEqual({ status: 'EXPIRED', drafts: ['EXPIRED'] });
      expect(await briefUsers.get(asked.approvalId, USER)).toMatchObject({
        standing: { status: 'EXPIRED', isAnswered: false, returnUrl: `${CALLBACK}&error=expired` },
        content: undefined,
      });
      expect(await briefUsers.decide(asked, approve)).toMatchObject({ status: 'EXPIRED' });
    }
  });

  it('lets its drafts expire although nobody reads them, and reports it by an event and by polling (§6)', async () => {
    const transfers = readTransfers(brief.broker.brokers);
    const asking = await brief.caller();
    const from = brief.bank.addAccount({ clientId: asking.clientId });
    const { draftIds } = await briefUsers.ask(asking, [await asking.validDraft(from)], USERS);
    const events = await transfers.ofDraft(draftIds[0]!, 2);
    expect(events.map(({ value }) => value.message.status)).toEqual(['AWAITING_APPROVAL', 'EXPIRED']);
    const { paymentId } = events[0]!.value.message;
    const { body } = await asking.call('GET', `/polling/${paymentId}/status`);
    expect(body).toEqual({ status: 'EXPIRED', redirectUrl: CALLBACK });
    await transfers.close();
  });

  it('leaves drafts that can be deleted, and not changed (§4.4)', async () => {
    const asking = await brief.caller();
    const from = brief.bank.addAccount({ clientId: asking.clientId });
    const { draftIds } = await briefUsers.ask(asking, [await asking.validDraft(from)], USERS);
    const path = `${DRAFTS}/${draftIds[0]}`;
    await asking.reaches(draftIds[0]!, 'EXPIRED');
    expect(await asking.call('PATCH', path, { amount: '1.00' })).toMatchObject({ status: 409 });
    expect((await asking.call('DELETE', path)).status).toBe(204);
    expect((await asking.call('GET', path)).status).toBe(404);
  });
});
