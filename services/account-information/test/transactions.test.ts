import { randomUUID } from 'node:crypto';
import { type Reader, type Running, startAccountInformation, type TransactionBody } from './running.ts';

let running: Running;
let tpp: Reader;
let main: string;
beforeAll(async () => {
  running = await startAccountInformation();
  tpp = await running.addTpp();
  ({ id: main } = await tpp.account());
});
afterAll(() => running.close());

const path = (query = '', id = main): string => `/accounts/${id}/transactions${query}`;

interface ListBody {
  offset: number;
  limit: number;
  from?: string;
  to?: string;
  transactions: TransactionBody[];
}

async function list(query = '', id = main, reader = tpp): Promise<ListBody> {
  const { status, text } = await reader.get(path(query, id));
  expect({ status, text: status === 200 ? '' : text }).toEqual({ status: 200, text: '' });
  return JSON.parse(text) as ListBody;
}

const idsOf = (transactions: readonly TransactionBody[]): string[] => transactions.map(({ id }) => id);

async function idsInOrder(id: string): Promise<string[]> {
  const { rows } = await running.pool.query<{ id: string }>(
    `SELECT id FROM transaction WHERE account_id = $1 AND removed_at IS NULL
     ORDER BY transaction_time DESC, id DESC`,
    [id],
  );
  return rows.map((row) => row.id);
}

/** Inserts an unsettled transaction, as a bank may send it. */
async function insert(accountId: string, status: string, at: string, title = 'Test'): Promise<string> {
  const { rows } = await running.pool.query<{ id: string }>(
    `INSERT INTO transaction (id, account_id, status, type, transaction_time, billing_amount, title, details)
     VALUES (gen_random_uuid(), $1, $2, 'card', $3, -100, $4, '{}') RETURNING id`,
    [accountId, status, at, title],
  );
  return rows[0]!.id;
}

describe('GET /accounts/{accountId}/transactions (§2.7, §4.3, §9.1)', () => {
  it('lists every transaction once, newest first by transactionTime and id, in pages of any size', async () => {
    const ids = await idsInOrder(main);
    expect(ids.length).toBeGreaterThanOrEqual(250);
    for (const limit of [99, 500]) {
      const seen: string[] = [];
      for (let offset = 0; offset < ids.length + limit; offset += limit) {
        const body = await list(`?limit=${limit}&offset=${offset}`);
        expect({ limit: body.limit, offset: body.offset }).toEqual({ limit, offset });
        seen.push(...idsOf(body.transactions));
      }
      expect(seen).toEqual(ids);
    }
  });

  it('lists the first 100 by default', async () => {
    const body = await list();
    expect(Object.keys(body)).toEqual(['offset', 'limit', 'transactions']);
    expect(body).toMatchObject({ offset: 0, limit: 100 });
    expect(idsOf(body.transactions)).toEqual((await idsInOrder(main)).slice(0, 100));
  });

  it('lists every status, and nothing removed', async () => {
    const { id } = await tpp.account('Budgetkonto');
    const statuses = 'future authorization interim failed_authorization declined initiated unknown'.split(
      ' ',
    );
    const [at, inserted]: [string, string[]] = ['2031-05-04T10:00:00.000Z', []];
    for (const status of statuses) inserted.push(await insert(id, status, at));
    const query = '?from=2031-05-04T09:59:59.999Z&to=2031-05-04T10:00:00.001Z';
    expect(idsOf((await list(query, id)).transactions)).toEqual(inserted.toSorted().toReversed());
    expect((await list(query, id)).transactions.map(({ status }) => status).toSorted()).toEqual(
      statuses.toSorted(),
    );
    await running.pool.query('UPDATE transaction SET removed_at = now() WHERE id = $1', [inserted[1]]);
    expect(idsOf((await list(query, id)).transactions)).not.toContain(inserted[1]);
    expect((await list(query, id)).transactions).toHaveLength(statuses.length - 1);
    expect(idsOf((await tpp.page(id)).pending)).not.toContain(inserted[1]);
  });

  it('compares from and to with transactionTime, strictly', async () => {
    const { id } = await tpp.account('Budgetkonto');
    const times = ['10:00:00.000', '10:00:00.001', '10:00:00.002'].map((time) => `2032-01-01T${time}Z`);
    const [, middle] = [
      await insert(id, 'future', times[0]!),
      await insert(id, 'future', times[1]!),
      await insert(id, 'future', times[2]!),
    ];
    const body = await list(`?from=${times[0]}&to=${times[2]}`, id);
    expect(idsOf(body.transactions)).toEqual([middle]);
    expect(body).toMatchObject({ from: times[0], to: times[2] });
    expect((await list(`?from=${times[1]}&to=${times[1]}`, id)).transactions).toEqual([]);
    const noon = await list('?from=2032-01-01', id);
    expect(noon).toMatchObject({ from: '2032-01-01T12:00:00.000Z', transactions: [] });
  });

  it('skips at most 10,000,000, and returns an empty list beyond the last', async () => {
    expect(await list('?offset=10000000')).toEqual({ offset: 10_000_000, limit: 100, transactions: [] });
  });
});

describe('bad input to the flat list (§7)', () => {
  it.each([
    ['limit', '?limit=0'],
    ['limit', '?limit=-1'],
    ['limit', '?limit=501'],
    ['limit', '?limit=1e9'],
    ['limit', '?limit=1000000000'],
    ['limit', '?limit=ten'],
    ['offset', '?offset=-1'],
    ['offset', '?offset=10000001'],
    ['offset', '?offset=99999999999999999999'],
    ['offset', '?offset=1.5'],
    ['offset', '?offset='],
    ['from', '?from=2026-02-29'],
    ['from', '?from=2026-00-10'],
    ['to', '?to=10000-01-01'],
    ['to', '?to=2026-01-01T00:00:00%2B24:00'],
    ['to', '?to=%00'],
    ['from', '?from=2026-01-02&to=2026-01-01'],
    ['limit', '?limit=1&limit=2'],
    ['cursor', '?cursor=x'],
    ['from', `?from=${'9'.repeat(10_000)}`],
  ])('names %s in %s', async (name, query) => {
    const { status, body } = await tpp.get(path(query));
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { errorCode: 'FORMAT_ERROR', details: [{ path: `query.${name}` }] },
    });
  });

  it('answers 404 for an account that is unknown or not open, whatever the query', async () => {
    const other = await running.addTpp();
    const { id } = await other.account();
    const unknown = { status: 404, errorCode: 'RESOURCE_UNKNOWN', message: expect.any(String) };
    for (const query of ['', '?limit=0', '?unknown=1'])
      for (const account of [id, randomUUID(), 'none', '%00'])
        expect(await tpp.refusal(path(query, account))).toEqual(unknown);
  });
});

describe('GET /accounts/{accountId}/transactions/{transactionId} (§2.9, §4.3)', () => {
  it('has the fields of the lists, and `deleted`', async () => {
    const { transactions } = await list('?limit=3');
    for (const transaction of transactions) {
      const { status, body } = await tpp.get(path(`/${transaction.id.toUpperCase()}`));
      expect({ status, body }).toEqual({ status: 200, body: { ...transaction, deleted: false } });
    }
  });

  it("is 404 where it is unknown, another account's or another client's", async () => {
    const [transaction] = (await list('?limit=1')).transactions;
    const { id: mine } = await tpp.account('Budgetkonto');
    const other = await running.addTpp();
    const { id: theirs } = await other.account();
    const [foreign] = (await list('?limit=1', theirs, other)).transactions;
    const expected = { status: 404, errorCode: 'RESOURCE_UNKNOWN', message: expect.any(String) };
    for (const asked of [
      path(`/${randomUUID()}`),
      path('/none'),
      path('/%00'),
      path(`/${transaction!.id}`, mine),
      path(`/${foreign!.id}`),
      path(`/${foreign!.id}`, theirs),
      path(`/${transaction!.id}?unknown=1`, mine),
    ])
      expect(await tpp.refusal(asked)).toEqual(expected);
    expect(await tpp.refusal(path(`/${transaction!.id}?unknown=1`))).toMatchObject({ status: 400 });
  });
});

describe('a transaction without a title of its own (§4, §2.4)', () => {
  it.each([
    ['domesticCreditTransfer', 'Transfer', 'Overførsel', 'Överföring', 'Overføring'],
    ['card', 'Card payment', 'Kortbetaling', 'Kortbetalning', 'Kortbetaling'],
    ['direct-debit', 'Direct debit', 'Automatisk betaling', 'Autogiro', 'Avtalegiro'],
    ['dkPaymentSlip', 'Payment slip', 'Indbetalingskort', 'Inbetalningskort', 'Innbetalingskort'],
    ['unknown', 'Transaction', 'Transaktion', 'Transaktion', 'Transaksjon'],
  ])('of type %s is told by its kind in the language of X-Language', async (type, ...titles) => {
    const transactionId = randomUUID();
    await running.post({ accountId: main, transactionId, type, title: '' });
    for (const [i, language] of ['en', 'da', 'sv', 'nb'].entries()) {
      const headers = { 'x-language': language };
      const detail = await tpp.get(path(`/${transactionId}`), headers);
      expect(detail.body).toMatchObject({ title: titles[i] });
      expect(detail.headers.get('content-language')).toBe(language);
      const v2 = await tpp.get(`/v2/accounts/${main}/transactions?limit=1`, headers);
      expect((v2.body.posted as TransactionBody[])[0]).toMatchObject({ id: transactionId, title: titles[i] });
      const flat = await tpp.get(path(`?limit=500`), headers);
      const listed = (flat.body.transactions as TransactionBody[]).find(({ id }) => id === transactionId);
      expect(listed).toMatchObject({ title: titles[i] });
    }
  });
});
