import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { call } from '@kontoport/grpc';
import {
  type Caller,
  DRAFTS,
  REDIRECT,
  type RunningPayments,
  startPayments,
  TRANSFER,
  USER_URL,
} from './running-payments.ts';

const APPROVE = '/payments/drafts/approve';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let service: RunningPayments;
let tpp: Caller;
let account: string;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '1h' });
  tpp = await service.caller();
  account = service.bank.addAccount({ clientId: tpp.clientId });
});
afterAll(() => service.close());

describe('POST /payments/drafts/approve (§4.4, §3.2)', () => {
  it('approves a basket at once, and returns its status', async () => {
    const requestId = randomUUID();
    const draftIds = [await tpp.validDraft(account), await tpp.validDraft(account)];
    const { status, body } = await tpp.approve(draftIds, requestId);
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'APPROVED',
      authUrl: expect.stringMatching(new RegExp(`^${USER_URL}/approvals/[A-Za-z0-9_-]{43}$`)) as string,
    });

    const basket = await tpp.call('GET', `${APPROVE}/${requestId}/status`);
    expect(basket.status).toBe(200);
    expect(basket.body).toEqual({
      status: 'APPROVED',
      drafts: draftIds.map((draftId) => ({
        draftId,
        status: 'PENDING',
        paymentId: expect.stringMatching(UUID) as string,
      })),
    });
    const [entry] = basket.body.drafts as { paymentId: string }[];
    const draft = await tpp.call('GET', `${DRAFTS}/${draftIds[0]}`);
    expect(draft.body).toMatchObject({ status: 'PENDING', paymentId: entry!.paymentId });
  });

  it('gives the same answer to the same request again, whatever became of its drafts', async () => {
    const requestId = randomUUID();
    const draftIds = [await tpp.validDraft(account)];
    const first = await tpp.approve(draftIds, requestId);
    await tpp.call('DELETE', `${DRAFTS}/${draftIds[0]}/payment`);
    const again = await tpp.approve(draftIds, requestId.toUpperCase());
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await tpp.status(draftIds[0]!)).toBe('CREATED');
  });

  it('refuses another request under the same requestId', async () => {
    const requestId = randomUUID();
    const [one, two, other] = [
      await tpp.validDraft(account),
      await tpp.validDraft(account),
      await tpp.validDraft(account),
    ];
    await tpp.approve([one, two], requestId);
    for (const body of [
      { requestId, draftIds: [one, other], redirectUrl: REDIRECT },
      { requestId, draftIds: [two, one], redirectUrl: REDIRECT },
      { requestId, draftIds: [one], redirectUrl: REDIRECT },
      { requestId, draftIds: [one, two, other], redirectUrl: REDIRECT },
      { requestId, draftIds: [one, two], redirectUrl: `${REDIRECT}?other` },
    ]) {
      const answer = await tpp.call('POST', APPROVE, body);
      expect([answer.status, answer.body.errorCode]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    }
    expect(await tpp.status(other)).toBe('CREATED');
  });

  it('makes one basket of concurrent twins, with one answer', async () => {
    const requestId = randomUUID();
    const draftIds = [await tpp.validDraft(account), await tpp.validDraft(account)];
    const answers = await Promise.all(Array.from({ length: 8 }, () => tpp.approve(draftIds, requestId)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.authUrl)).size).toBe(1);
  });

  it('approves all or nothing, and lists every draft that cannot be approved', async () => {
    const other = await service.caller();
    const foreign = await other.validDraft(service.bank.addAccount({ clientId: other.clientId }));
    const [good, incomplete, spoiled, taken] = [
      await tpp.validDraft(account),
      randomUUID(),
      await tpp.validDraft(account),
      await tpp.validDraft(account),
    ];
    await tpp.call('POST', DRAFTS, { draftId: incomplete, name: 'Rent' });
    await tpp.call('PATCH', `${DRAFTS}/${spoiled}`, { amount: '0' });
    await tpp.approve([taken]);
    const requestId = randomUUID();
    const answer = await tpp.approve([good, incomplete, spoiled, taken, foreign, randomUUID()], requestId);
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'STATUS_INVALID']);
    expect(answer.body.details).toEqual([
      ...['receiverAccountBban', 'receiverName', 'amount', 'currency', 'senderAccountId'].map((path) => ({
        path: 'draftIds.1',
        message: `is not valid: ${path} is missing`,
      })),
      { path: 'draftIds.2', message: 'is not valid: amount is not positive' },
      { path: 'draftIds.3', message: 'is PENDING, not CREATED' },
      { path: 'draftIds.4', message: 'is unknown' },
      { path: 'draftIds.5', message: 'is unknown' },
    ]);
    expect(await tpp.status(good)).toBe('CREATED');
    expect(await other.status(foreign)).toBe('CREATED');
    expect((await tpp.call('GET', `${APPROVE}/${requestId}/status`)).status).toBe(404);
    expect((await tpp.approve([good], requestId)).status).toBe(200);
  });

  it('asks the bank only for the accounts of drafts that are valid, each once', async () => {
    const strange = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const draftId = randomUUID();
        await tpp.call('POST', DRAFTS, { draftId, name: 'Rent' });
        await tpp.call('PATCH', `${DRAFTS}/${draftId}`, { ...TRANSFER, senderAccountId: randomUUID() });
        return draftId;
      }),
    );
    const valid = [await tpp.validDraft(account), await tpp.validDraft(account)];
    service.bank.asked.length = 0;
    expect((await tpp.approve([...strange, ...valid])).status).toBe(400);
    expect(service.bank.asked).toEqual([account]);
  });

  it('accepts the accounts of one user only, and names each draft of another', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const open = (userId: string) => service.bank.addAccount({ clientId: tpp.clientId, userId });
    const accounts = [open(one), open(one), open(other), account, open(one)];
    const draftIds = await Promise.all(accounts.map((from) => tpp.validDraft(from)));
    const answer = await tpp.approve([randomUUID(), ...draftIds]);
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'STATUS_INVALID']);
    expect(answer.body.details).toEqual([
      { path: 'draftIds.0', message: 'is unknown' },
      { path: 'draftIds.3', message: 'pays from an account of another user than draftIds.1' },
      { path: 'draftIds.4', message: 'pays from an account of another user than draftIds.1' },
    ]);
    expect(await Promise.all(draftIds.map(tpp.status))).toEqual(draftIds.map(() => 'CREATED'));
    const ofOne = [draftIds[0]!, draftIds[1]!, draftIds[4]!];
    expect((await tpp.approve(ofOne)).status).toBe(200);
  });

  it('answers 503 and approves nothing while the bank is away', async () => {
    const requestId = randomUUID();
    const draftId = await tpp.validDraft(account);
    await service.bank.leave();
    const answer = await tpp.approve([draftId], requestId);
    expect([answer.status, answer.body.errorCode]).toEqual([503, 'UNAVAILABLE']);
    expect(await tpp.status(draftId)).toBe('CREATED');
    await service.bank.comeBack();
    await until(async () => (await tpp.approve([draftId], requestId)).status === 200, { what: 'approval' });
  });

  it.each([
    ['another host', 'https://evil.test/callback'],
    ['another path', 'https://tpp.test/callback/more'],
    ['another port', 'https://tpp.test:444/callback'],
    ['no https', 'http://tpp.test/callback'],
    ['no URL', 'callback'],
    ['a line break', `${REDIRECT}?a\r\nset-cookie: b`],
    ['a backslash', 'https://tpp.test\\callback'],
    ['a blank', ` ${REDIRECT}`],
    ['another scheme', 'javascript:alert(1)'],
    ['a script in the place of the scheme', `javascript://tpp.test/callback`],
    ['another host behind a user', 'https://tpp.test@evil.test/callback'],
    ['a user', 'https://user@tpp.test/callback'],
  ])('refuses a redirectUrl with %s', async (_what, redirectUrl) => {
    const draftId = await tpp.validDraft(account);
    const answer = await tpp.call('POST', APPROVE, {
      requestId: randomUUID(),
      draftIds: [draftId],
      redirectUrl,
    });
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
    expect(answer.body.details).toEqual([{ path: 'redirectUrl', message: expect.any(String) as string }]);
    expect(await tpp.status(draftId)).toBe('CREATED');
  });

  it('takes a basket of 100 drafts (§8)', async () => {
    const answer = await tpp.approve(Array.from({ length: 100 }, () => randomUUID()));
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'STATUS_INVALID']);
    expect(answer.body.details).toHaveLength(100);
  });

  it.each([
    ['requestId', { requestId: 'x' }],
    ['requestId', { requestId: undefined }],
    ['draftIds', { draftIds: [] }],
    ['draftIds', { draftIds: 'all' }],
    ['draftIds.0', { draftIds: ['x'] }],
    ['draftIds', { draftIds: Array.from({ length: 101 }, () => randomUUID()) }],
    [
      'draftIds',
      { draftIds: ['AAAAAAAA-0000-4000-8000-000000000000', 'aaaaaaaa-0000-4000-8000-000000000000'] },
    ],
    ['redirectUrl', { redirectUrl: 1 }],
    ['redirectUrl', { redirectUrl: `${REDIRECT}?${'x'.repeat(2_000)}` }],
    ['user', { user: 'x' }],
  ])('refuses a body with a fault in %s', async (path, change) => {
    const body = { requestId: randomUUID(), draftIds: [randomUUID()], redirectUrl: REDIRECT, ...change };
    const answer = await tpp.call('POST', APPROVE, body);
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
    expect((answer.body.details as { path: string }[]).map((detail) => detail.path)).toEqual([path]);
  });
});

describe('GET /payments/drafts/approve/{requestId}/status (§4.4)', () => {
  it("answers the same for another client's basket as for an unknown one", async () => {
    const requestId = randomUUID();
    await tpp.approve([await tpp.validDraft(account)], requestId);
    const other = await service.caller();
    const foreign = await other.call('GET', `${APPROVE}/${requestId}/status`);
    const unknown = await other.call('GET', `${APPROVE}/${randomUUID()}/status`);
    expect([foreign.status, foreign.body.errorCode]).toEqual([404, 'RESOURCE_UNKNOWN']);
    expect({ ...foreign.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
  });
});

describe('DELETE /payments/drafts/domestic-credit-transfer/{id}/payment (§3.2)', () => {
  it('cancels a payment that is not settled: the draft is CREATED again and can be approved anew', async () => {
    const requestId = randomUUID();
    const draftId = await tpp.validDraft(account);
    await tpp.approve([draftId], requestId);
    const { status, body } = await tpp.call('DELETE', `${DRAFTS}/${draftId}/payment`);
    expect([status, body]).toEqual([204, {}]);
    const draft = await tpp.call('GET', `${DRAFTS}/${draftId}`);
    expect(draft.body).toMatchObject({ status: 'CREATED', isValid: true });
    expect(draft.body).not.toHaveProperty('paymentId');

    expect((await tpp.approve([draftId])).status).toBe(200);
    const basket = await tpp.call('GET', `${APPROVE}/${requestId}/status`);
    expect(basket.body.drafts).toEqual([{ draftId, status: 'CREATED' }]);
  });

  it('answers 404 where there is no payment, or no draft', async () => {
    const draftId = await tpp.validDraft(account);
    for (const id of [draftId, randomUUID()]) {
      const answer = await tpp.call('DELETE', `${DRAFTS}/${id}/payment`);
      expect([answer.status, answer.body.errorCode]).toEqual([404, 'RESOURCE_UNKNOWN']);
    }
  });
});

describe('Approvals.GetBasket: the page behind the authUrl redirects to the redirectUrl (§4.4)', () => {
  const getBasket = (approvalId: string) =>
    call(service.approvals, service.approvals.getBasket, { approvalId });

  it('finds the basket by the unguessable part of the authUrl', async () => {
    const requestId = randomUUID();
    const draftIds = [await tpp.validDraft(account)];
    const redirectUrl = `${REDIRECT}?state=1`;
    const { body } = await tpp.call('POST', APPROVE, { requestId, draftIds, redirectUrl });
    const approvalId = new URL(body.authUrl as string).pathname.split('/').at(-1)!;
    expect(await getBasket(approvalId)).toEqual({ requestId, status: 'APPROVED', redirectUrl });
  });
});

describe('a deleted client (§4.2)', () => {
  it('has no drafts and approval links left', async () => {
    const leaving = await service.caller();
    const draftId = await leaving.validDraft(service.bank.addAccount({ clientId: leaving.clientId }));
    const { body } = await leaving.approve([draftId]);
    const approvalId = new URL(body.authUrl as string).pathname.split('/').at(-1)!;
    service.peers.deleteTpp(leaving.tpp);
    await until(
      () =>
        call(service.approvals, service.approvals.getBasket, { approvalId }).then(
          () => false,
          () => true,
        ),
      { what: 'the basket to be gone' },
    );
    expect((await leaving.call('GET', `${DRAFTS}/${draftId}`)).status).toBe(401);
  });
});
