import { randomUUID } from 'node:crypto';
import { openAccount } from './bank-account.ts';
import { type Reader, type Running, startAccountInformation } from './running.ts';
import { readTopic } from './topic-reader.ts';

let running: Running;
let tpp: Reader;
let accountId: string;
beforeAll(async () => {
  running = await startAccountInformation();
  tpp = await running.addTpp();
  ({ accountId } = await openAccount(running, tpp));
});
afterAll(() => running.close());

const dkk = (value: string) => ({ value, currency: 'DKK' });
const eur = (value: string) => ({ value, currency: 'EUR' });
const detail = async (id: string) => (await tpp.get(`/accounts/${accountId}/transactions/${id}`)).body;
const party = (name: string) => ({
  name,
  address: 'Torvet 1',
  accountScheme: 'BBAN',
  accountIdentification: '53010000220011',
  bic: 'NORDDK22',
});
const post = async (given: object = {}) =>
  (await running.post({ accountId, title: 'Køb', message: 'Hej', recipientBban: '53010000220011', ...given }))
    .transactionId;

describe('a later enrichment of a transaction (§2.4 rule 1)', () => {
  it('adds every field that may come later, under the same id', async () => {
    const { transactionId } = await running.authorize({
      accountId,
      type: 'card',
      amount: dkk('-74.61'),
      title: '',
      additionalInformation: { ocr: '1' },
    });
    await running.feed.enrich({
      accountId,
      transactionId,
      updateMask: [
        'title',
        'message',
        'debtor',
        'creditor',
        'additional_information',
        'card',
        'transaction_amount',
      ],
      title: 'Café Sol',
      message: 'Frokost',
      debtor: party('Freja Lindholm'),
      creditor: party('Café Sol'),
      additionalInformation: { pgNumber: '2', bgNumber: '3' },
      card: {
        merchantName: 'Café Sol',
        merchantCategoryCode: 5812,
        cardEntryMode: 'chip',
        walletProvider: '',
        isAtm: false,
        merchantCity: '',
        merchantCountry: 'ES',
      },
      transactionAmount: eur('-10.00'),
      exchangeRate: '7.461',
    });
    const told = {
      name: 'Café Sol',
      address: 'Torvet 1',
      account: { scheme: 'BBAN', identification: '53010000220011' },
      bic: 'NORDDK22',
    };
    const enriched = {
      id: transactionId,
      title: 'Café Sol',
      message: 'Frokost',
      billingAmount: { amount: -74.61, currency: 'DKK' },
      transactionAmount: { amount: -10, currency: 'EUR' },
      currencyExchange: { currency: 'EUR', targetCurrency: 'DKK', exchangeRate: 7.461 },
      debtor: { ...told, name: 'Freja Lindholm' },
      creditor: told,
      additionalInformation: { bgNumber: '3', pgNumber: '2' },
      cardTransactionInfo: {
        merchantName: 'Café Sol',
        merchantCategoryCode: 5812,
        cardEntryMode: 'chip',
        merchantLocation: { country: 'ES' },
      },
    };
    expect(await detail(transactionId)).toMatchObject({ ...enriched, status: 'authorization' });
    await running.settle({ transactionId, accountId });
    expect((await tpp.page(accountId, { limit: 1 })).posted[0]).toMatchObject({
      ...enriched,
      status: 'financial',
    });
  });

  it('keeps absent fields, and removes empty ones', async () => {
    const id = await post({ debtor: party('A'), creditor: party('B'), additionalInformation: { ocr: '1' } });
    const before = await detail(id);
    await running.feed.enrich({ accountId, transactionId: id, updateMask: ['creditor'], title: 'ignored' });
    const { creditor: _creditor, ...rest } = before;
    expect(await detail(id)).toEqual(rest);
    await running.feed.enrich({
      accountId,
      transactionId: id,
      updateMask: ['debtor', 'message', 'recipient_bban', 'additional_information', 'transaction_amount'],
    });
    const bare = await detail(id);
    for (const field of ['debtor', 'message', 'domesticCreditTransferInfo', 'additionalInformation'])
      expect(bare).not.toHaveProperty(field);
    expect(bare.transactionAmount).toBeNull();
    expect(bare.title).toBe('Køb');
  });

  it('keeps the message of a transfer in both of its places', async () => {
    const id = await post();
    await running.feed.enrich({ accountId, transactionId: id, updateMask: ['message'], message: 'Ny' });
    expect(await detail(id)).toMatchObject({
      message: 'Ny',
      domesticCreditTransferInfo: { recipientBBAN: '53010000220011', message: 'Ny' },
    });
    await running.feed.enrich({
      accountId,
      transactionId: id,
      updateMask: ['recipient_bban'],
      recipientBban: '53010000220012',
    });
    expect((await detail(id)).domesticCreditTransferInfo).toEqual({
      recipientBBAN: '53010000220012',
      message: 'Ny',
    });
  });

  it('changes no balance, emits nothing, and does not conflict with a repeated Post', async () => {
    const topic = await readTopic(running.brokers);
    const request = { transactionId: randomUUID(), accountId, amount: dkk('-3.00') };
    const first = await running.post(request);
    await topic.find(request.transactionId);
    const enrichment = {
      accountId,
      transactionId: request.transactionId,
      updateMask: ['title'],
      title: 'Nyt',
    };
    await running.feed.enrich(enrichment);
    await running.feed.enrich(enrichment);
    expect(await running.post(request)).toEqual(first);
    expect((await detail(request.transactionId)).title).toBe('Nyt');
    const last = await post();
    await topic.find(last);
    expect(topic.events.filter(({ value }) => value.ledgerPostingId === request.transactionId)).toHaveLength(
      1,
    );
    await topic.close();
  });

  it('reaches a removed transaction, by reference, and keeps all concurrent enrichments', async () => {
    const { transactionId } = await running.authorize({
      accountId,
      reference: 'E1',
      type: 'card',
      amount: dkk('-1.00'),
    });
    await running.feed.fail({ accountId, reference: 'E1' });
    await Promise.all([
      running.feed.enrich({ accountId, reference: 'E1', updateMask: ['title'], title: 'T' }),
      running.feed.enrich({ accountId, reference: 'E1', updateMask: ['message'], message: 'M' }),
      running.feed.enrich({ accountId, reference: 'E1', updateMask: ['debtor'], debtor: party('D') }),
    ]);
    expect(await detail(transactionId)).toMatchObject({
      deleted: true,
      title: 'T',
      message: 'M',
      debtor: { name: 'D' },
    });
  });
});

describe('bad input to Ledger.Enrich', () => {
  it('is refused with the field named, and nothing changes', async () => {
    const id = await post();
    const before = await detail(id);
    const faults: [string, object][] = [
      ['updateMask', { updateMask: [] }],
      ['updateMask', { updateMask: undefined }],
      ['updateMask.0', { updateMask: ['amount'] }],
      ['updateMask.1', { updateMask: ['title', 'posting_time'] }],
      ['title', { updateMask: ['title'], title: 'x'.repeat(141) }],
      ['debtor.bic', { updateMask: ['debtor'], debtor: { ...party('A'), bic: 'x' } }],
      ['transactionAmount.value', { updateMask: ['transaction_amount'], transactionAmount: eur('1.00') }],
      [
        'exchangeRate',
        { updateMask: ['transaction_amount'], transactionAmount: dkk('-1.00'), exchangeRate: '7' },
      ],
      ['exchangeRate', { updateMask: ['transaction_amount'], exchangeRate: '7' }],
    ];
    for (const [path, fault] of faults)
      await expect(running.feed.enrich({ accountId, transactionId: id, ...fault })).rejects.toMatchObject({
        code: 'FORMAT_ERROR',
        details: [{ path }],
      });
    const ofCard = { accountId, transactionId: id, updateMask: ['card'] };
    const info = {
      merchantName: 'x',
      merchantCategoryCode: 0,
      cardEntryMode: '',
      walletProvider: '',
      isAtm: false,
      merchantCity: '',
      merchantCountry: '',
    };
    await expect(running.feed.enrich({ ...ofCard, card: info })).rejects.toMatchObject({
      code: 'FORMAT_ERROR',
      message: expect.stringContaining('card is not allowed for the type'),
    });
    await running.feed.enrich(ofCard);
    const { transactionId: card } = await running.authorize({ accountId, type: 'card', amount: dkk('-1') });
    await expect(
      running.feed.enrich({
        accountId,
        transactionId: card,
        updateMask: ['recipient_bban'],
        recipientBban: '53010000220011',
      }),
    ).rejects.toMatchObject({ code: 'FORMAT_ERROR', message: expect.stringContaining('recipient_bban') });
    const { accountId: other } = await openAccount(running, tpp);
    await expect(
      running.feed.enrich({ accountId: other, transactionId: id, updateMask: ['title'] }),
    ).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
    expect(await detail(id)).toEqual(before);
  });
});
