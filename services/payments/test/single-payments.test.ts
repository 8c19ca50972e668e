import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type { Answer } from '@kontoport/testing/answer';
import { bankingDayFrom } from '../src/domain/calendar/banking-days.model.ts';
import { dateIn } from '../src/domain/calendar/country-time.model.ts';
import { addDays } from '../src/domain/calendar/local-date.model.ts';
import {
  type Caller,
  DRAFTS,
  GIRO,
  REDIRECT,
  type RunningPayments,
  startPayments,
  TRANSFER,
  USER_URL,
} from './running-payments.ts';

const TRANSFERS = '/payments/domestic-credit-transfer';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TYPES = [
  ['domestic-credit-transfer', TRANSFER],
  ['swedish-bank-giro', GIRO],
  ['swedish-plus-giro', GIRO],
] as const;

let service: RunningPayments;
let tpp: Caller;
let account: string;
/** The lead of the clock of `tpp`. */
let ahead = 0;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '1h' });
  tpp = await service.caller();
  account = service.bank.addAccount({ clientId: tpp.clientId, available: '100000.00' });
});
afterAll(() => service.close());

const body = (more: object = {}) => ({
  ...TRANSFER,
  senderAccountId: account,
  redirectUrl: REDIRECT,
  ...more,
});
const initiate = (more: object = {}, requestId: string = randomUUID(), caller = tpp): Promise<Answer> =>
  caller.call('POST', TRANSFERS, body(more), { 'x-request-id': requestId });
const initiated = async (more: object = {}): Promise<string> => {
  const answer = await initiate(more);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.paymentId as string;
};
const read = (paymentId: string, caller = tpp): Promise<Answer> =>
  caller.call('GET', `${TRANSFERS}/${paymentId}`);
const poll = async (paymentId: string): Promise<unknown> =>
  (await tpp.call('GET', `/polling/${paymentId}/status`)).body;
const passes = (ms: number): void => service.bank.moveClock(tpp.clientId, (ahead += ms));
const reaches = (path: string, status: string): Promise<Answer> =>
  until(
    async () => {
      const answer = await tpp.call('GET', path);
      return answer.body.status === status && answer;
    },
    { what: `the payment to be ${status}` },
  );

describe('§4.5 a single payment is initiated, approved and booked', () => {
  it.each(TYPES)('%s', async (type, fields) => {
    const { currency } = fields;
    const senderAccountId = service.bank.addAccount({ clientId: tpp.clientId, currency });
    const more = { message: 'Rent', name: 'Home' };
    const sent = { ...fields, amount: '125.50', senderAccountId, redirectUrl: REDIRECT, ...more };
    const answer = await tpp.call('POST', `/payments/${type}`, sent);
    const { paymentId, status, authUrl } = answer.body;
    expect([answer.status, status]).toEqual([201, 'APPROVED']);
    expect(Object.keys(answer.body).toSorted()).toEqual(['authUrl', 'paymentId', 'status']);
    expect(authUrl).toMatch(new RegExp(`^${USER_URL}/approvals/[\\w-]{43}$`));
    const path = `/payments/${type}/${String(paymentId)}`;
    const pending = await tpp.call('GET', path);
    expect(pending.body).toEqual({
      ...sent,
      paymentId,
      paymentType: type,
      status: 'PENDING',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(service.bank.booked.has(String(paymentId))).toBe(false);
    passes(HOUR_MS);
    await reaches(path, 'COMPLETED');
    expect(service.bank.available(senderAccountId)).toBe('874.50');
    expect(service.bank.booked.get(String(paymentId))).toMatchObject({ message: 'Rent' });
  });

  it('pays to the account of a Swedish number with a fifth clearing digit, with a warning', async () => {
    const senderAccountId = service.bank.addAccount({ clientId: tpp.clientId, currency: 'SEK' });
    const typed = { currency: 'SEK', senderAccountId, receiverAccountBban: '8327-9 123456782' };
    const key = randomUUID();
    const answer = await initiate(typed, key);
    const warning = {
      path: 'receiverAccountBban',
      message: expect.stringContaining('the payment goes to 8327123456782') as string,
    };
    expect(answer).toMatchObject({ status: 201, body: { validationWarnings: [warning] } });
    expect((await initiate(typed, key)).body).toEqual(answer.body);
    const paymentId = String(answer.body.paymentId);
    expect((await read(paymentId)).body).toMatchObject({ validationWarnings: [warning] });
    passes(HOUR_MS);
    await reaches(`${TRANSFERS}/${paymentId}`, 'COMPLETED');
    expect(service.bank.booked.get(paymentId)).toMatchObject({
      creditor: { accountIdentification: '8327123456782' },
      recipientBban: '8327123456782',
    });
  });

  it('is rejected without funds, and stays approved', async () => {
    const paymentId = await initiated({ amount: '100000.01' });
    passes(HOUR_MS);
    const { body: rejected } = await reaches(`${TRANSFERS}/${paymentId}`, 'REJECTED');
    expect(rejected).toMatchObject({ rejection: { errorCode: 'FUNDS_INSUFFICIENT' } });
    expect(await poll(paymentId)).toEqual({ status: 'APPROVED', redirectUrl: REDIRECT });
    const answer = await tpp.call('DELETE', `${TRANSFERS}/${paymentId}`);
    expect([answer.status, (await read(paymentId)).status]).toEqual([204, 404]);
  });

  it('waits for its day, or for the next banking day after it', async () => {
    const today = dateIn('DK', new Date(Date.now() + ahead));
    // Of seven days two are a weekend.
    const days = Array.from({ length: 7 }, (_none, i) => addDays(today, 20 + i));
    const planned = await Promise.all(
      days.map(async (executionDate) => (await read(await initiated({ executionDate }))).body.executionDate),
    );
    expect(planned).toEqual(days.map((date) => bankingDayFrom('DK', date)));

    const executionDate = addDays(today, 40);
    const paymentId = await initiated({ executionDate });
    // The day before it ends there, as late as an hour before.
    passes(38 * DAY_MS);
    const probe = await initiated();
    passes(HOUR_MS);
    await reaches(`${TRANSFERS}/${probe}`, 'COMPLETED');
    expect((await read(paymentId)).body.status).toBe('PENDING');
    passes(12 * DAY_MS);
    await reaches(`${TRANSFERS}/${paymentId}`, 'COMPLETED');
  });
});

describe('§4.5 X-Request-Id is the key of a payment for 24 hours', () => {
  it('gives the same body the same answer, and another body 409', async () => {
    const requestId = randomUUID();
    const first = await initiate({}, requestId);
    const again = await initiate({}, requestId);
    expect(again).toMatchObject({ status: 201, body: first.body });
    const turned = Object.fromEntries(Object.entries(body()).toReversed());
    expect((await tpp.call('POST', TRANSFERS, turned, { 'x-request-id': requestId })).body).toEqual(
      first.body,
    );
    for (const other of [{ amount: '125.51' }, { message: 'Rent' }, { redirectUrl: `${REDIRECT}?a=1` }]) {
      const refused = await initiate(other, requestId);
      expect([refused.status, refused.body.errorCode]).toEqual([409, 'IDEMPOTENCY_CONFLICT']);
    }
  });

  it('gives it also while the account cannot be looked up', async () => {
    const senderAccountId = service.bank.addAccount({ clientId: tpp.clientId });
    const requestId = randomUUID();
    const first = await initiate({ senderAccountId }, requestId);
    service.bank.closeAccess(senderAccountId);
    expect((await initiate({ senderAccountId }, requestId)).body).toEqual(first.body);
    expect((await initiate({ senderAccountId })).status).toBe(400);
  });

  it('belongs to its client', async () => {
    const neighbour = await service.caller();
    const own = service.bank.addAccount({ clientId: neighbour.clientId });
    const requestId = randomUUID();
    const first = await initiate({}, requestId);
    const theirs = await initiate({ senderAccountId: own }, requestId, neighbour);
    expect(theirs.status).toBe(201);
    expect(theirs.body.paymentId).not.toBe(first.body.paymentId);
  });

  it('is common to all operations that initiate', async () => {
    const requestId = randomUUID();
    await initiate({}, requestId);
    const order = { ...body(), startDate: '2099-01-01', frequency: 'Monthly' };
    const answer = await tpp.call('POST', '/payments/standing-orders', order, { 'x-request-id': requestId });
    expect(answer.body.errorCode).toBe('IDEMPOTENCY_CONFLICT');
  });

  it('stores nothing of a refused call', async () => {
    const requestId = randomUUID();
    expect((await initiate({ amount: '0' }, requestId)).status).toBe(400);
    expect((await initiate({}, requestId)).status).toBe(201);
  });

  it('makes each call without one a payment of its own', async () => {
    const [one, two] = [await tpp.call('POST', TRANSFERS, body()), await tpp.call('POST', TRANSFERS, body())];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.body.paymentId).not.toBe(two.body.paymentId);
  });
});

describe('§4.5 a fault is refused with its field, and nothing is stored', () => {
  it.each([
    ['amount', { amount: undefined }, 'is missing'],
    ['senderAccountId', { senderAccountId: undefined }, 'is missing'],
    ['redirectUrl', { redirectUrl: undefined }, 'is missing'],
    ['senderAccountId', { senderAccountId: randomUUID() }, 'is not an account that you may use'],
    ['executionDate', { executionDate: '2027-02-31' }, 'is not a day of the calendar such as "2027-01-31"'],
    ['executionDate', { executionDate: '2026-01-02' }, expect.stringMatching(/^is past: today is 20/)],
    ['executionDate', { executionDate: '2999-01-02' }, expect.stringMatching(/^is too far ahead: 20/)],
    ['message', { message: 'a\nb' }, 'has control characters'],
    ['message', { message: 'x'.repeat(141) }, 'must have at most 140 characters'],
    ['name', { name: ' ' }, 'is blank'],
    ['draftId', { draftId: randomUUID() }, 'is unknown'],
    [
      'redirectUrl',
      { redirectUrl: 'javascript:alert(1)' },
      expect.stringMatching(/^is not one of the registered/),
    ],
    ['redirectUrl', { redirectUrl: `${REDIRECT}?${'x'.repeat(2_000)}` }, 'must have at most 2000 characters'],
    ['redirectUrl', { redirectUrl: `${REDIRECT}?a b` }, 'is not a URL'],
  ])('%s (%#)', async (path, change, message) => {
    const requestId = randomUUID();
    const answer = await initiate(change, requestId);
    expect([answer.status, answer.body.errorCode]).toEqual([400, 'FORMAT_ERROR']);
    expect(answer.body.details).toEqual([{ path, message }]);
    expect((await initiate({}, requestId)).status).toBe(201);
  });

  it('lists everything that is wrong', async () => {
    const wrong = body({ amount: '0', receiverAccountBban: '1' });
    const { body: refused } = await tpp.call('POST', TRANSFERS, wrong);
    expect(refused.message).toMatch(/^No payment was made/);
    expect(refused.details).toEqual([
      {
        path: 'receiverAccountBban',
        message:
          'account number: has 1 digits, not 14 (4 of the registration number, 10 of the account with leading zeros)',
      },
      { path: 'amount', message: 'is not positive' },
    ]);
  });

  it('is 404 for payments of others, of other types, and unknown ones', async () => {
    const paymentId = await initiated();
    const stranger = await service.caller();
    const unknown = [
      await read(paymentId, stranger),
      await stranger.call('DELETE', `${TRANSFERS}/${paymentId}`),
      await stranger.call('GET', `/polling/${paymentId}/status`),
      await tpp.call('GET', `/payments/swedish-bank-giro/${paymentId}`),
      await tpp.call('DELETE', `/payments/swedish-bank-giro/${paymentId}`),
      await read(randomUUID()),
      await read('not-a-uuid'),
      await tpp.call('GET', '/polling/not-a-uuid/status'),
    ];
    for (const answer of unknown)
      expect([answer.status, answer.body.message]).toEqual([404, 'There is no such payment.']);
    expect((await read(paymentId)).body.status).toBe('PENDING');
  });

  it('is not found as a draft, nor its approval as a basket', async () => {
    const paymentId = await initiated();
    const requests = [
      await tpp.call('GET', `${DRAFTS}/${paymentId}`),
      await tpp.call('PATCH', `${DRAFTS}/${paymentId}`, { amount: '1' }),
      await tpp.call('DELETE', `${DRAFTS}/${paymentId}`),
      await tpp.call('DELETE', `${DRAFTS}/${paymentId}/payment`),
      await tpp.call('GET', `/payments/drafts/approve/${paymentId}/status`),
    ];
    expect(requests.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const approval = await tpp.approve([paymentId]);
    expect(approval.body.details).toEqual([{ path: 'draftIds.0', message: 'is unknown' }]);
    expect((await tpp.approve([paymentId], paymentId)).body.errorCode).toBe('IDEMPOTENCY_CONFLICT');
    const draftId = await tpp.validDraft(account);
    expect((await read(draftId)).status).toBe(404);
  });
});

describe('§3.3 a single payment is deleted unless it is booked', () => {
  it.each(TYPES)('%s: it is 404, polled without redirectUrl, and never booked', async (type, fields) => {
    const { currency } = fields;
    const senderAccountId = service.bank.addAccount({ clientId: tpp.clientId, currency });
    const sent = { ...fields, senderAccountId, redirectUrl: REDIRECT };
    const { body: made } = await tpp.call('POST', `/payments/${type}`, sent);
    const path = `/payments/${type}/${String(made.paymentId)}`;
    expect(await poll(String(made.paymentId))).toEqual({ status: 'APPROVED', redirectUrl: REDIRECT });
    expect((await tpp.call('DELETE', path)).status).toBe(204);
    expect((await tpp.call('GET', path)).status).toBe(404);
    expect((await tpp.call('DELETE', path)).status).toBe(404);
    expect(await poll(String(made.paymentId))).toEqual({ status: 'AWAITING_APPROVAL', redirectUrl: '' });
    const probe = await initiated();
    passes(HOUR_MS);
    await reaches(`${TRANSFERS}/${probe}`, 'COMPLETED');
    expect(service.bank.available(senderAccountId)).toBe('1000.00');
  });

  it('is 409 once it is booked', async () => {
    const paymentId = await initiated();
    passes(HOUR_MS);
    await reaches(`${TRANSFERS}/${paymentId}`, 'COMPLETED');
    const refused = await tpp.call('DELETE', `${TRANSFERS}/${paymentId}`);
    expect([refused.status, refused.body.errorCode]).toEqual([409, 'STATUS_INVALID']);
    expect(refused.body.message).toBe('The payment is booked and cannot be deleted any more.');
    expect((await read(paymentId)).body.status).toBe('COMPLETED');
  });

  it('is 503 and unchanged while the bank is away', async () => {
    const paymentId = await initiated();
    await service.bank.leave();
    const away = await tpp.call('DELETE', `${TRANSFERS}/${paymentId}`);
    await service.bank.comeBack();
    expect([away.status, (await read(paymentId)).body.status]).toEqual([503, 'PENDING']);
    await until(async () => (await tpp.call('DELETE', `${TRANSFERS}/${paymentId}`)).status === 204, {
      what: 'the bank to be back',
    });
  });
});

describe('§4.5 polling of payments of drafts', () => {
  it('returns approved ones, and cancelled ones like deleted ones', async () => {
    const draftId = await tpp.validDraft(account);
    const requestId = randomUUID();
    await tpp.approve([draftId], requestId);
    const { body: basket } = await tpp.call('GET', `/payments/drafts/approve/${requestId}/status`);
    const [{ paymentId }] = basket.drafts as [{ paymentId: string }];
    expect(await poll(paymentId)).toEqual({ status: 'APPROVED', redirectUrl: REDIRECT });
    expect((await tpp.call('DELETE', `${DRAFTS}/${draftId}/payment`)).status).toBe(204);
    expect(await poll(paymentId)).toEqual({ status: 'AWAITING_APPROVAL', redirectUrl: '' });
    await tpp.approve([draftId]);
    expect(await poll(paymentId)).toEqual({ status: 'AWAITING_APPROVAL', redirectUrl: '' });
    expect((await tpp.call('GET', `/polling/${draftId}/status`)).status).toBe(404);
  });
});
