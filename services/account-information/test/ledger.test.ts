import { randomUUID } from 'node:crypto';
import type { ApiError } from '@kontoport/errors';
import { type Reader, type Running, startAccountInformation } from './running.ts';
import { readTopic, type TopicReader } from './topic-reader.ts';

let running: Running;
let topic: TopicReader;
beforeAll(async () => {
  running = await startAccountInformation();
  topic = await readTopic(running.brokers);
});
afterAll(async () => {
  await topic.close();
  await running.close();
});

const dkk = (value: string) => ({ value, currency: 'DKK' });

/** Everything that a posting can change; events are counted as they enter the outbox. */
async function state(): Promise<unknown> {
  const { rows } = await running.pool.query(
    `SELECT (SELECT sum(balance) FROM account) AS balance, (SELECT count(*) FROM transaction) AS transactions,
            (SELECT max(last_posting_time) FROM account) AS last, (SELECT last_value FROM outbox_id_seq) AS events`,
  );
  return rows[0];
}

describe('Ledger.Post (§3.1)', () => {
  it('posts the transaction, changes the balance and emits the event', async () => {
    const tpp = await running.addTpp();
    const account = await tpp.account();
    const transactionId = randomUUID();
    const before = Date.now();
    const answer = await running.post({
      transactionId,
      accountId: account.id,
      amount: dkk('-250.75'),
      transactionTime: new Date('2026-01-05T10:00:00.123Z'),
      title: 'Bageren',
      message: 'Boller',
      debtor: party({ name: 'Freja Lindholm', accountScheme: 'BBAN', accountIdentification: account.bban }),
      creditor: party({ name: 'Bageren', bic: 'NORDDK22', address: 'Torvet 1' }),
      recipientBban: '53010000220011',
      additionalInformation: { ocr: '123', bgNumber: '5050-1055' },
    });
    const balance = account.balanceAmount - 250.75;
    expect(answer.transactionId).toBe(transactionId);
    expect(answer.balanceAfter).toEqual(dkk(balance.toFixed(2)));
    const postingTime = answer.postingTime!.toISOString();
    expect(Math.abs(answer.postingTime!.getTime() - before)).toBeLessThan(60_000);

    const [posted] = (await tpp.page(account.id, { limit: 1 })).posted;
    expect(posted).toEqual({
      id: transactionId,
      accountId: account.id,
      status: 'financial',
      type: 'domesticCreditTransfer',
      transactionTime: '2026-01-05T10:00:00.123Z',
      postingTime,
      billingAmount: { amount: -250.75, currency: 'DKK' },
      transactionAmount: { amount: -250.75, currency: 'DKK' },
      accountBalanceAfterTransaction: { amount: balance, currency: 'DKK' },
      title: 'Bageren',
      message: 'Boller',
      domesticCreditTransferInfo: { recipientBBAN: '53010000220011', message: 'Boller' },
      debtor: { name: 'Freja Lindholm', account: { scheme: 'BBAN', identification: account.bban } },
      creditor: { name: 'Bageren', address: 'Torvet 1', bic: 'NORDDK22' },
      additionalInformation: { bgNumber: '5050-1055', ocr: '123' },
    });
    expect((await tpp.account()).balanceAmount).toBe(balance);

    const { value: event, record } = await topic.find(transactionId);
    expect(record.key!.toString()).toBe(account.id);
    expect(event).toEqual({
      eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      eventTime: postingTime,
      audience: [tpp.clientId],
      accountId: account.id,
      accountNumber: account.bban,
      ledgerPostingId: transactionId,
      amountValue: '250.75',
      amountCurrency: 'DKK',
      credit: false,
      postingTime,
    });
    expect(record.headers).toMatchObject({ ce_id: event.eventId, ce_type: 'Posting.CreatedV1' });
  });

  it('has the clients with a live consent to read as its audience, each once', async () => {
    const [owner, guest, past] = [await running.addTpp(), await running.addTpp(), await running.addTpp()];
    const { id: accountId } = await owner.account();
    const grant = (clientId: string, revoked: string | null, role = 'PSP_AI') =>
      running.pool.query(
        `WITH granted AS (INSERT INTO consent (id, client_id, user_id, roles, granted_at, revoked_at)
           VALUES (gen_random_uuid(), $1, gen_random_uuid(), ARRAY[$4], now() - interval '1 day', $2) RETURNING id)
         INSERT INTO consent_account SELECT id, $3 FROM granted`,
        [clientId, revoked, accountId, role],
      );
    await grant(guest.clientId, null);
    await grant(guest.clientId, null);
    await grant(past.clientId, new Date().toISOString());
    await grant(past.clientId, null, 'PSP_PI');
    const { transactionId } = await running.post({ accountId, amount: dkk('10') });
    const { value: event } = await topic.find(transactionId);
    expect(event.audience.toSorted()).toEqual([owner.clientId, guest.clientId].toSorted());
    expect(event.credit).toBe(true);
  });

  it('gives a repetition the first answer and changes nothing', async () => {
    const tpp = await running.addTpp();
    const { id: accountId } = await tpp.account();
    const request = {
      transactionId: randomUUID(),
      accountId,
      amount: dkk('-5'),
      additionalInformation: { b: '2', a: '1' },
    };
    const first = await running.post(request);
    await running.post({ accountId });
    const before = await state();
    expect(await running.post({ ...request, additionalInformation: { a: '1', b: '2' } })).toEqual(first);
    expect(await running.post({ ...request, transactionId: request.transactionId.toUpperCase() })).toEqual(
      first,
    );
    expect(await state()).toEqual(before);
  });

  it('refuses another posting under a used id', async () => {
    const tpp = await running.addTpp();
    const [account, other] = await tpp.accounts();
    const request = { transactionId: randomUUID(), accountId: account!.id, amount: dkk('-5') };
    await running.post(request);
    const [, historic] = await tpp.posted(account!.id, { limit: 500 });
    for (const change of [
      { amount: dkk('-5.01') },
      { accountId: other!.id },
      { transactionId: historic!.id },
    ])
      await expect(running.post({ ...request, ...change })).rejects.toMatchObject({ code: 'DUPLICATE_ID' });
    expect(await balanceOf(tpp, other!.id)).toBe(other!.balanceAmount);
  });

  it('refuses a debit beyond the available amount only when funds are required', async () => {
    const tpp = await running.addTpp();
    const account = await tpp.account('Budgetkonto');
    const tooMuch = dkk(`-${(account.balanceAvailableAmount + 0.01).toFixed(2)}`);
    await expect(
      running.post({ accountId: account.id, amount: tooMuch, requireFunds: true }),
    ).rejects.toMatchObject({ code: 'FUNDS_INSUFFICIENT' });
    expect(await balanceOf(tpp, account.id)).toBe(account.balanceAmount);
    const all = dkk(`-${account.balanceAvailableAmount.toFixed(2)}`);
    const last = { transactionId: randomUUID(), accountId: account.id, amount: all, requireFunds: true };
    const first = await running.post(last);
    expect(first.balanceAfter).toEqual(dkk('0.00'));
    expect(await running.post(last)).toEqual(first);
    expect((await running.post({ accountId: account.id, amount: dkk('-1') })).balanceAfter).toEqual(
      dkk('-1.00'),
    );
    await running.post({ accountId: account.id, amount: dkk('0.50'), requireFunds: true });
  });
});

describe('bad input to Ledger.Post', () => {
  it('is refused with the field named, and changes nothing', async () => {
    const tpp = await running.addTpp();
    const { id: accountId } = await tpp.account();
    const before = await state();
    const faults: [path: string, fault: Parameters<typeof running.post>[0]][] = [
      ['transactionId', { transactionId: 'x' }],
      ['transactionId', { transactionId: '' }],
      ['accountId', { accountId: 'x' }],
      ['amount', { amount: undefined }],
      ['amount.value', { amount: dkk('0') }],
      ['amount.value', { amount: dkk('0.00') }],
      ['amount.value', { amount: dkk('1.234') }],
      ['amount.value', { amount: dkk('1e3') }],
      ['amount.value', { amount: dkk('92233720368547758.08') }],
      ['amount.value', { amount: { value: '1', currency: 'ZZZ' } }],
      ['amount.currency', { amount: { value: '1', currency: 'SEK' } }],
      ['title', { title: 'x'.repeat(141) }],
      ['title', { title: 'a\0b' }],
      ['message', { message: 'x'.repeat(1_001) }],
      ['type', { type: '' }],
      ['type', { type: 'transfer' }],
      ['recipientBban', { type: 'card', recipientBban: '53010000220011' }],
      ['recipientBban', { recipientBban: '123' }],
      ['debtor.accountIdentification', { debtor: party({ accountScheme: 'BBAN' }) }],
      ['debtor.accountIdentification', { debtor: party({ accountIdentification: '53010000220011' }) }],
      ['creditor.accountScheme', { creditor: party({ accountScheme: 'PHONE', accountIdentification: '1' }) }],
      ['creditor.bic', { creditor: party({ bic: 'nope' }) }],
      ['additionalInformation.', { additionalInformation: { '': 'x' } }],
      ['additionalInformation.k', { additionalInformation: { k: 'x'.repeat(257) } }],
      [
        'additionalInformation',
        { additionalInformation: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, 'v'])) },
      ],
      ['transactionTime', { transactionTime: new Date('1969-01-01') }],
    ];
    const named: string[] = [];
    for (const [, fault] of faults) {
      const error = await running.post({ accountId, ...fault }).then(
        () => undefined,
        (thrown: ApiError) => thrown,
      );
      expect(error?.code).toBe('FORMAT_ERROR');
      named.push(error!.details.map(({ path }) => path).join());
    }
    expect(named).toEqual(faults.map(([path]) => path));
    await expect(running.post({ accountId: randomUUID() })).rejects.toMatchObject({
      code: 'RESOURCE_UNKNOWN',
    });
    expect(await state()).toEqual(before);
  });
});

function party(
  given: Partial<Record<'name' | 'address' | 'accountScheme' | 'accountIdentification' | 'bic', string>>,
) {
  return { name: '', address: '', accountScheme: '', accountIdentification: '', bic: '', ...given };
}

async function balanceOf(tpp: Reader, accountId: string): Promise<number> {
  return (await tpp.accounts()).find(({ id }) => id === accountId)!.balanceAmount;
}
