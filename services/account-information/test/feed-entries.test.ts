import { randomUUID } from 'node:crypto';
import { Outcome } from '@kontoport/proto/accounts/v1';
import { openAccount } from './bank-account.ts';
import { type Reader, type Running, startAccountInformation } from './running.ts';

let running: Running;
let tpp: Reader;
let accountId: string;
beforeAll(async () => {
  running = await startAccountInformation();
  tpp = await running.addTpp();
  ({ accountId } = await openAccount(running, tpp, { openingBalance: dkk('1000.00') }));
});
afterAll(() => running.close());

const dkk = (value: string) => ({ value, currency: 'DKK' });
const detail = async (id: string) => (await tpp.get(`/accounts/${accountId}/transactions/${id}`)).body;
const card = (given: object = {}) => ({
  merchantName: '',
  merchantCategoryCode: 0,
  cardEntryMode: '',
  walletProvider: '',
  isAtm: false,
  merchantCity: '',
  merchantCountry: '',
  ...given,
});

describe('the fields of a transaction from the feed (§2.4, §2.6)', () => {
  it.each(['post', 'authorize'] as const)('are in the answer, by %s: exchange and card data', async (way) => {
    const { transactionId } = await running[way]({
      accountId,
      type: 'card',
      amount: dkk('-74.61'),
      transactionAmount: { value: '-10', currency: 'EUR' },
      exchangeRate: '7.4610',
      card: card({
        merchantName: 'Café Sol',
        merchantCategoryCode: 5812,
        cardEntryMode: 'contactless',
        walletProvider: 'wallet_b',
        isAtm: true,
        merchantCity: 'Málaga',
        merchantCountry: 'ES',
      }),
    });
    expect(await detail(transactionId)).toMatchObject({
      billingAmount: { amount: -74.61, currency: 'DKK' },
      transactionAmount: { amount: -10, currency: 'EUR' },
      currencyExchange: { currency: 'EUR', targetCurrency: 'DKK', exchangeRate: 7.461 },
      cardTransactionInfo: {
        merchantName: 'Café Sol',
        merchantCategoryCode: 5812,
        cardEntryMode: 'contactless',
        walletProvider: 'wallet_b',
        isAtm: true,
        merchantLocation: { city: 'Málaga', country: 'ES' },
      },
    });
  });

  it('are omitted where the bank sends none', async () => {
    const { transactionId } = await running.post({
      accountId,
      type: 'card',
      amount: dkk('-1.00'),
      card: card(),
    });
    const told = await detail(transactionId);
    expect(told.cardTransactionInfo).toEqual({});
    expect(told.transactionAmount).toEqual({ amount: -1, currency: 'DKK' });
    for (const field of ['currencyExchange', 'message', 'debtor', 'creditor', 'additionalInformation'])
      expect(told).not.toHaveProperty(field);
    const part = await running.post({
      accountId,
      type: 'card',
      amount: dkk('-1.00'),
      card: card({ merchantCountry: 'NO' }),
    });
    expect((await detail(part.transactionId)).cardTransactionInfo).toEqual({
      merchantLocation: { country: 'NO' },
    });
  });

  it('have no original amount where the payment never reserved money', async () => {
    const { transactionId } = await running.post({ accountId, amount: dkk('-1.00'), neverReserved: true });
    expect((await detail(transactionId)).transactionAmount).toBeNull();
  });

  it('have an original amount without a rate, in the same currency and in another', async () => {
    for (const transactionAmount of [dkk('-2.00'), { value: '-150', currency: 'ISK' }]) {
      const { transactionId } = await running.post({ accountId, amount: dkk('-2.10'), transactionAmount });
      const told = await detail(transactionId);
      expect(told.transactionAmount).toEqual({
        amount: Number(transactionAmount.value),
        currency: transactionAmount.currency,
      });
      expect(told).not.toHaveProperty('currencyExchange');
    }
  });

  it('are refused with the field named', async () => {
    const eur = { value: '-10.00', currency: 'EUR' };
    const faults: [string, object][] = [
      ['card', { type: 'domesticCreditTransfer', card: card() }],
      ['card.merchantCategoryCode', { card: card({ merchantCategoryCode: 10_000 }) }],
      ['card.cardEntryMode', { card: card({ cardEntryMode: 'swipe' }) }],
      ['card.walletProvider', { card: card({ walletProvider: 'wallet_c' }) }],
      ['card.merchantCountry', { card: card({ merchantCountry: 'Spain' }) }],
      ['card.merchantName', { card: card({ merchantName: 'x'.repeat(141) }) }],
      ['card.merchantCity', { card: card({ merchantCity: 'x'.repeat(101) }) }],
      ['transactionAmount.value', { transactionAmount: { value: '10.00', currency: 'EUR' } }],
      ['transactionAmount.value', { transactionAmount: { value: '0', currency: 'EUR' } }],
      ['transactionAmount.value', { transactionAmount: { value: '-1', currency: 'XXX' } }],
      ['transactionAmount.value', { transactionAmount: { value: '-1.001', currency: 'EUR' } }],
      ['transactionAmount', { transactionAmount: eur, neverReserved: true }],
      ['exchangeRate', { exchangeRate: '7.46' }],
      ['exchangeRate', { exchangeRate: '7.46', transactionAmount: dkk('-3.00') }],
      ...['0', '0.000', '-1', '1e3', '7,46', '1234567.123456789', '.5', ' 1'].map(
        (exchangeRate): [string, object] => ['exchangeRate', { exchangeRate, transactionAmount: eur }],
      ),
      ['transactionTime', { transactionTime: new Date('1969-12-31T23:59:59.999Z') }],
      ['transactionTime', { transactionTime: new Date('+010000-01-01T00:00:00Z') }],
      ['postingTime', { postingTime: new Date('1969-12-31T23:59:59.999Z') }],
    ];
    for (const [path, fault] of faults)
      await expect(running.post({ accountId, type: 'card', ...fault })).rejects.toMatchObject({
        code: 'FORMAT_ERROR',
        details: [{ path }],
      });
    for (const exchangeRate of ['0.00000000000001', '123456789012345', '7.46123456789012'])
      await running.post({ accountId, exchangeRate, transactionAmount: eur });
  });
});

describe("the bank's reference (ADR-0019)", () => {
  it('identifies a transaction in all its states, with one id', async () => {
    const reference = 'C-2026/0001 A';
    const { transactionId } = await running.authorize({
      accountId,
      reference,
      type: 'card',
      amount: dkk('-5.00'),
    });
    expect(transactionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect(await running.authorize({ accountId, reference, type: 'card', amount: dkk('-5.00') })).toEqual({
      transactionId,
    });
    const settled = await running.settle({ accountId, reference });
    expect(settled.transactionId).toBe(transactionId);
    expect(await running.settle({ accountId, transactionId })).toEqual(settled);
    expect(await detail(transactionId)).toMatchObject({ id: transactionId, status: 'financial' });

    const failing = await running.authorize({
      accountId,
      reference: 'F',
      type: 'card',
      amount: dkk('-5.00'),
    });
    await running.feed.fail({ accountId, reference: 'F' });
    expect((await detail(failing.transactionId)).deleted).toBe(true);
    await running.feed.void({ accountId, reference: 'V' });
    await expect(running.post({ accountId, reference: 'V' })).rejects.toMatchObject({
      code: 'STATUS_INVALID',
    });
  });

  it('is unique per account: another account may have the same', async () => {
    const { accountId: other } = await openAccount(running, tpp);
    const [one, two] = [
      await running.post({ accountId, reference: 'same' }),
      await running.post({ accountId: other, reference: 'same' }),
    ];
    expect(one.transactionId).not.toBe(two.transactionId);
  });

  it('excludes a transaction id, and one of them is required', async () => {
    for (const [path, names] of [
      ['transactionId', { transactionId: randomUUID(), reference: 'x' }],
      ['transactionId', { transactionId: '', reference: '' }],
      ['transactionId', { transactionId: 'x', reference: '' }],
      ['reference', { transactionId: '', reference: ' x' }],
      ['reference', { transactionId: '', reference: 'x'.repeat(65) }],
      ['reference', { transactionId: '', reference: 'blåbær' }],
    ] as const) {
      const refusal = { code: 'FORMAT_ERROR', details: [{ path }] };
      await expect(running.post({ accountId, ...names })).rejects.toMatchObject(refusal);
      await expect(running.settle({ accountId, ...names })).rejects.toMatchObject(refusal);
      await expect(running.feed.void({ accountId, ...names })).rejects.toMatchObject(refusal);
      await expect(running.feed.getOutcome({ accountId, ...names })).rejects.toMatchObject(refusal);
    }
  });
});

describe('Ledger.GetOutcome (ADR-0019)', () => {
  it('returns the outcome of an id', async () => {
    const outcome = (reference: string) => running.feed.getOutcome({ accountId, reference });
    const unknown = await outcome('o');
    expect(unknown).toEqual({
      transactionId: unknown.transactionId,
      outcome: Outcome.OUTCOME_UNKNOWN,
      refusal: '',
    });

    await running.authorize({ accountId, reference: 'o', type: 'card', amount: dkk('-5.00') });
    expect(await outcome('o')).toEqual({
      transactionId: unknown.transactionId,
      outcome: Outcome.OUTCOME_PENDING,
      amount: dkk('-5.00'),
      refusal: '',
    });
    const { postingTime, balanceAfter } = await running.settle({
      accountId,
      reference: 'o',
      amount: dkk('-6.00'),
    });
    expect(await outcome('o')).toEqual({
      transactionId: unknown.transactionId,
      outcome: Outcome.OUTCOME_BOOKED,
      amount: dkk('-6.00'),
      postingTime,
      balanceAfter,
      refusal: '',
    });

    await running.authorize({ accountId, reference: 'p', type: 'card', amount: dkk('-5.00') });
    await running.feed.fail({ accountId, reference: 'p' });
    expect(await outcome('p')).toMatchObject({ outcome: Outcome.OUTCOME_REMOVED, amount: dkk('-5.00') });

    await expect(
      running.post({ accountId, reference: 'q', amount: dkk('-99999.00'), requireFunds: true }),
    ).rejects.toMatchObject({ code: 'FUNDS_INSUFFICIENT' });
    expect(await outcome('q')).toMatchObject({
      outcome: Outcome.OUTCOME_REFUSED,
      amount: dkk('-99999.00'),
      refusal: 'FUNDS_INSUFFICIENT',
    });

    await running.feed.void({ accountId, reference: 'r' });
    const voided = await outcome('r');
    expect(voided).toMatchObject({ outcome: Outcome.OUTCOME_VOIDED, refusal: '' });
    expect(voided.amount).toBeUndefined();
  });

  it('is unknown for a refusal that was not stored, and refused for a wrong request', async () => {
    const transactionId = randomUUID();
    await expect(
      running.post({ transactionId, accountId, amount: { value: '1', currency: 'SEK' } }),
    ).rejects.toMatchObject({ code: 'FORMAT_ERROR' });
    expect(await running.feed.getOutcome({ accountId, transactionId })).toMatchObject({
      outcome: Outcome.OUTCOME_UNKNOWN,
    });
    await running.post({ transactionId, accountId });
    const { accountId: other } = await openAccount(running, tpp);
    await expect(running.feed.getOutcome({ accountId: other, transactionId })).rejects.toMatchObject({
      code: 'DUPLICATE_ID',
    });
    await expect(running.feed.getOutcome({ accountId: randomUUID(), reference: 'x' })).rejects.toMatchObject({
      code: 'RESOURCE_UNKNOWN',
    });
  });
});
