import { type ApprovableItem, type ApprovalSummary, digestOf, summaryOf } from './approval-summary.model.ts';
import type { Posting } from './payment-types/payment-type.model.ts';
import type { Schedule } from './schedule.model.ts';

function payment(paymentId: string, more: Partial<ApprovableItem> = {}): ApprovableItem {
  const senderAccount = {
    accountId: 'account',
    userId: 'user',
    bban: '123',
    ownerName: 'Freja',
    currency: 'DKK',
    supportsPayments: true,
    supportsTransfers: true,
  };
  return {
    paymentId,
    paymentType: 'domestic-credit-transfer',
    name: 'Rent',
    fields: { senderAccountId: 'account' },
    senderAccount,
    validationWarnings: [],
    ...more,
  };
}

const schedule: Schedule = { startDate: '2026-12-01', frequency: 'Monthly', executionRule: 'following' };

const posting = (minorUnits: bigint, currency: string, more: Partial<Posting> = {}): Posting => ({
  type: 'domesticCreditTransfer',
  title: 'Receiver',
  amount: { minorUnits, currency },
  creditor: { name: 'Receiver', bban: '456' },
  ...more,
});

describe('the summary of an approval (§3.2)', () => {
  it('has every payment, and the exact sum of each currency in the order of the codes', () => {
    const postings = [
      posting(999_999_999_999_999n, 'SEK'),
      posting(1n, 'DKK'),
      posting(999_999_999_999_999n, 'SEK'),
    ];
    const drafts = ['a', 'b', 'c'].map((id) => payment(id));
    const { payments, sums } = summaryOf('client', drafts, (each) => postings[drafts.indexOf(each)]!);
    expect(payments.map(({ paymentId, amount, currency }) => [paymentId, amount, currency])).toEqual([
      ['a', '9999999999999.99', 'SEK'],
      ['b', '0.01', 'DKK'],
      ['c', '9999999999999.99', 'SEK'],
    ]);
    expect(sums).toEqual([
      { amount: '0.01', currency: 'DKK' },
      { amount: '19999999999999.98', currency: 'SEK' },
    ]);
  });

  it.each<[string, Partial<Posting>, object]>([
    ['an account', {}, { payee: { name: 'Receiver', numberType: 'BBAN', number: '456' }, reference: 'Rent' }],
    [
      'a bankgiro with OCR',
      { creditor: { name: 'El AB' }, additionalInformation: { bgNumber: '991-2346', ocr: '12345682' } },
      { payee: { name: 'El AB', numberType: 'BANKGIRO', number: '991-2346' }, reference: '12345682' },
    ],
    [
      'a plusgiro with words',
      { creditor: { name: 'El AB' }, additionalInformation: { pgNumber: '28 65 43-4' } },
      { payee: { name: 'El AB', numberType: 'PLUSGIRO', number: '28 65 43-4' }, reference: 'Rent' },
    ],
  ])('names the payee: %s', (_what, more, told) => {
    const { payments } = summaryOf('client', [payment('a')], () => posting(1n, 'SEK', more));
    expect(payments[0]).toMatchObject({
      ...told,
      sender: { accountId: 'account', bban: '123', ownerName: 'Freja' },
    });
  });
});

describe('the reference in the summary of an approval', () => {
  const referenceOf = (more: Partial<ApprovableItem>, posted: Partial<Posting> = {}): string =>
    summaryOf('client', [payment('a', more)], () => posting(1n, 'SEK', posted)).payments[0]!.reference;
  const initiation = { redirectUrl: '', message: 'Of the call' };

  it('is the OCR, else the text of the payment type, else the message, else the name', () => {
    const ocr = { additionalInformation: { ocr: '12345682' } };
    expect(referenceOf({ initiation }, { ...ocr, message: 'Of the type' })).toBe('12345682');
    expect(referenceOf({ initiation }, { message: 'Of the type' })).toBe('Of the type');
    expect(referenceOf({ initiation })).toBe('Of the call');
    expect(referenceOf({})).toBe('Rent');
  });
});

describe('a digest binds the decision to the shown content (§3.2)', () => {
  const summary = summaryOf('client', [payment('a'), payment('b', { schedule })], () => posting(100n, 'DKK'));
  const digest = digestOf('approval', summary);
  type Payment = ApprovalSummary['payments'][number];
  const changed = (change: (payment: Payment) => Payment): ApprovalSummary => ({
    ...summary,
    payments: [summary.payments[0]!, change(summary.payments[1]!)],
  });

  it.each<[string, (payment: Payment) => Payment]>([
    ['payment', (payment) => ({ ...payment, paymentId: 'c' })],
    ['payment type', (payment) => ({ ...payment, paymentType: 'swedish-bank-giro' })],
    ['account', (payment) => ({ ...payment, sender: { ...payment.sender, accountId: 'x' } })],
    ['account number', (payment) => ({ ...payment, sender: { ...payment.sender, bban: 'x' } })],
    ['payee', (payment) => ({ ...payment, payee: { ...payment.payee, name: 'x' } })],
    ['kind of number', (payment) => ({ ...payment, payee: { ...payment.payee, numberType: 'PLUSGIRO' } })],
    ['number', (payment) => ({ ...payment, payee: { ...payment.payee, number: 'x' } })],
    ['reference', (payment) => ({ ...payment, reference: 'x' })],
    ['amount', (payment) => ({ ...payment, amount: '1.01' })],
    ['currency', (payment) => ({ ...payment, currency: 'SEK' })],
    ['day', (payment) => ({ ...payment, executionDate: '2026-12-01' })],
    ['first day', (payment) => ({ ...payment, schedule: { ...schedule, startDate: '2027-01-01' } })],
    ['last day', (payment) => ({ ...payment, schedule: { ...schedule, endDate: '2028-01-01' } })],
    ['frequency', (payment) => ({ ...payment, schedule: { ...schedule, frequency: 'Weekly' } })],
    ['day of the month', (payment) => ({ ...payment, schedule: { ...schedule, dayOfExecution: 2 } })],
    ['rule', (payment) => ({ ...payment, schedule: { ...schedule, executionRule: 'preceding' } })],
  ])('is another for another %s', (_what, change) => {
    expect(digestOf('approval', changed(change))).not.toBe(digest);
  });

  it('is another for another approval, another client, another order and fewer payments', () => {
    const { payments } = summary;
    const others = [
      digestOf('another', summary),
      digestOf('approval', { ...summary, clientId: 'another' }),
      digestOf('approval', { ...summary, payments: payments.toReversed() }),
      digestOf('approval', { ...summary, payments: payments.slice(1) }),
    ];
    expect(new Set([...others, digest]).size).toBe(5);
  });
});
