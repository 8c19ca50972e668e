import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import { type Caller, GIRO, type RunningPayments, startPayments } from './running-payments.ts';

let service: RunningPayments;
let tpp: Caller;
let account: string;

beforeAll(async () => {
  service = await startPayments({ settlementDelay: '1h', env: { BOOKING_WAIT: '1h' } });
  tpp = await service.caller();
  account = service.bank.addAccount({ clientId: tpp.clientId, currency: 'SEK' });
});
afterAll(() => service.close());

const BANK_GIRO = '/payments/drafts/swedish-bank-giro';
const PLUS_GIRO = '/payments/drafts/swedish-plus-giro';

const create = async (type: string): Promise<string> => {
  const draftId = randomUUID();
  expect((await tpp.call('POST', type, { draftId, name: 'Water' })).status).toBe(201);
  return `${type}/${draftId}`;
};

describe.each([
  [BANK_GIRO, '5050-1055'],
  [PLUS_GIRO, '4025906-1'],
])('drafts of %s (§2.10, §4.4)', (type, receiverGiroNumber) => {
  it.each([
    ['en', /^length digit: .* is not 0, .*10 digits/],
    ['da', /^længdeciffer: .* ikke 0, .*10 cifre/],
    ['sv', /^längdsiffra: .* inte 0, .*10 siffror/],
    ['nb', /^lengdesiffer: .* ikke 0, .*10 sifre/],
  ])('pass with a warning where the length digit cannot be judged: %s', async (language, warning) => {
    const path = await create(type);
    const fields = { ...GIRO, receiverGiroNumber, reference: '1234567897', senderAccountId: account };
    const { body } = await tpp.call('PATCH', path, fields, { 'x-language': language });
    expect(body).toMatchObject({
      isValid: true,
      validationErrors: [],
      validationWarnings: [{ path: 'reference', message: expect.stringMatching(warning) as string }],
    });
  });
});

const validGiro = async (
  { caller = tpp, from = account, type = BANK_GIRO }: { caller?: Caller; from?: string; type?: string } = {},
  change: Record<string, string> = {},
): Promise<string> => {
  const draftId = randomUUID();
  await caller.call('POST', type, { draftId, name: 'Water' });
  const fields = { ...GIRO, senderAccountId: from, ...change };
  const { body } = await caller.call('PATCH', `${type}/${draftId}`, fields);
  if (body.isValid !== true) throw new Error(`not valid: ${JSON.stringify(body)}`);
  return draftId;
};

const open = (available = '1000.00'): string =>
  service.bank.addAccount({ clientId: tpp.clientId, currency: 'SEK', available });
const read = async (draftId: string, type = BANK_GIRO) => (await tpp.call('GET', `${type}/${draftId}`)).body;

describe('a giro payment is booked by its approval (§3.2)', () => {
  it('is COMPLETED when the approval is answered, beside a transfer that waits', async () => {
    const from = open();
    const dkk = service.bank.addAccount({ clientId: tpp.clientId });
    const bank = await validGiro({ from });
    const plus = await validGiro(
      { from, type: PLUS_GIRO },
      { receiverGiroNumber: '4025906-1', reference: 'Invoice 7', referenceType: 'MESSAGE' },
    );
    const transfer = await tpp.validDraft(dkk);
    const requestId = randomUUID();
    expect((await tpp.approve([bank, transfer, plus], requestId)).status).toBe(200);
    const basket = await tpp.call('GET', `/payments/drafts/approve/${requestId}/status`);
    expect(basket.body.drafts).toMatchObject([
      { draftId: bank, status: 'COMPLETED' },
      { draftId: transfer, status: 'PENDING' },
      { draftId: plus, status: 'COMPLETED' },
    ]);
    const { paymentId } = await read(bank);
    expect(service.bank.booked.get(paymentId as string)).toMatchObject({
      accountId: from,
      type: 'unknown',
      title: 'Water works',
      message: 'Water',
      amount: { value: '-100.00', currency: 'SEK' },
      recipientBban: '',
      creditor: { name: 'Water works', accountScheme: '', accountIdentification: '' },
      additionalInformation: { bgNumber: '5050-1055', ocr: '1234567806' },
    });
    const other = (await read(plus, PLUS_GIRO)).paymentId;
    expect(service.bank.booked.get(other as string)).toMatchObject({
      message: 'Invoice 7',
      additionalInformation: { pgNumber: '4025906-1' },
    });
    expect(service.bank.available(from)).toBe('800.00');
  });

  it('is never COMPLETED before the bank has said so: the answer waits for it', async () => {
    const from = open();
    const release = service.bank.hold(from);
    const draftId = await validGiro({ from });
    let answered = false;
    const answer = tpp.approve([draftId]).finally(() => (answered = true));
    await until(() => service.bank.arrived.some((post) => post.accountId === from), { what: 'the posting' });
    expect((await read(draftId)).status).toBe('PENDING');
    expect(answered).toBe(false);
    release();
    expect((await answer).body.status).toBe('APPROVED');
    expect((await read(draftId)).status).toBe('COMPLETED');
  });

  it('is REJECTED with the reason, for good, where the funds do not cover it', async () => {
    const from = open('99.99');
    const draftId = await validGiro({ from });
    expect((await tpp.approve([draftId])).body.status).toBe('APPROVED');
    expect(await read(draftId)).toMatchObject({
      status: 'REJECTED',
      rejection: {
        errorCode: 'FUNDS_INSUFFICIENT',
        message: 'The available amount of the account does not cover 100.00 SEK.',
      },
    });
    const again = await tpp.approve([draftId]);
    expect(again.body.details).toEqual([{ path: 'draftIds.0', message: 'is REJECTED, not CREATED' }]);
    const patch = await tpp.call('PATCH', `${BANK_GIRO}/${draftId}`, { amount: '1' });
    expect([patch.status, patch.body.errorCode]).toEqual([409, 'STATUS_INVALID']);
    expect(service.bank.available(from)).toBe('99.99');
  });

  it('lets exactly one of two baskets win that overdraw an account together', async () => {
    const from = open('150.00');
    const draftIds = [await validGiro({ from }), await validGiro({ from })];
    const answers = await Promise.all(draftIds.map((draftId) => tpp.approve([draftId])));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const statuses = await Promise.all(draftIds.map(async (draftId) => String((await read(draftId)).status)));
    expect(statuses.toSorted()).toEqual(['COMPLETED', 'REJECTED']);
    expect(service.bank.available(from)).toBe('50.00');
  });

  it('has no operation to cancel it', async () => {
    const answer = await tpp.call('DELETE', `${BANK_GIRO}/${await validGiro()}/payment`);
    expect([answer.status, answer.body.errorCode]).toEqual([404, 'ROUTE_UNKNOWN']);
  });
});

describe('an approval answers although the bank does not (§3.2)', () => {
  it('leaves the giro payment PENDING, and it is settled later', async () => {
    const impatient = await startPayments({ settlementDelay: '1h', env: { BOOKING_WAIT: '50ms' } });
    const caller = await impatient.caller();
    const from = impatient.bank.addAccount({ clientId: caller.clientId, currency: 'SEK' });
    const release = impatient.bank.hold(from);
    const draftId = await validGiro({ caller, from });
    const status = async () => (await caller.call('GET', `${BANK_GIRO}/${draftId}`)).body.status;
    expect((await caller.approve([draftId])).body.status).toBe('APPROVED');
    expect(await status()).toBe('PENDING');
    expect((await caller.call('DELETE', `${BANK_GIRO}/${draftId}`)).status).toBe(409);
    release();
    await until(async () => (await status()) === 'COMPLETED', { what: 'the settlement' });
    expect(impatient.bank.available(from)).toBe('900.00');
    await impatient.close();
  });
});
