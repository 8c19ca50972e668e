import { Outcome } from '@kontoport/proto/accounts/v1';
import { movedBy } from './account-amounts.ts';
import { type Reader, type Running, startAccountInformation, type TransactionBody } from './running.ts';
import { readTopic } from './topic-reader.ts';

let running: Running;
let topic: Awaited<ReturnType<typeof readTopic>>;
let tpp: Reader;
let accountId: string;
beforeAll(async () => {
  running = await startAccountInformation();
  topic = await readTopic(running.brokers);
  tpp = await running.addTpp();
  ({ id: accountId } = await tpp.account());
});
afterAll(async () => {
  await topic.close();
  await running.close();
});

const dkk = (value: string) => ({ value, currency: 'DKK' });

const moved = (work: () => Promise<unknown>) => movedBy(running.pool, accountId, work);

const detail = async (id: string) => (await tpp.get(`/accounts/${accountId}/transactions/${id}`)).body;
const illegal = { code: 'STATUS_INVALID' };

describe('initiated and planned transactions (§3.1, ADR-0020)', () => {
  const flatIds = async () =>
    (
      (await tpp.get(`/accounts/${accountId}/transactions?limit=500`)).body.transactions as TransactionBody[]
    ).map(({ id }) => id);
  const planned = new Date('2031-05-06T07:08:09.010Z');
  const begin = {
    initiated: (more: object = {}) => running.initiate({ accountId, amount: dkk('-20.00'), ...more }),
    future: (more: object = {}) =>
      running.schedule({ accountId, amount: dkk('-20.00'), transactionTime: planned, ...more }),
  };
  const STATUSES = ['initiated', 'future'] as const;

  it.each(STATUSES)(
    'is %s in the flat list, not in V2, reserves nothing and has no event',
    async (status) => {
      let id = '';
      const change = await moved(
        async () => ({ transactionId: id } = await begin[status]({ title: 'Husleje' })),
      );
      expect(change).toEqual({ balance: 0, reserved: 0 });
      expect(await flatIds()).toContain(id);
      const page = await tpp.page(accountId, { limit: 500 });
      expect([...page.pending, ...page.posted].map((each) => each.id)).not.toContain(id);
      const body = await detail(id);
      expect(body).toMatchObject({
        id,
        status,
        title: 'Husleje',
        deleted: false,
        postingTime: null,
        billingAmount: { amount: -20, currency: 'DKK' },
        transactionAmount: { amount: -20, currency: 'DKK' },
      });
      expect(body).not.toHaveProperty('accountBalanceAfterTransaction');
      // The time of an initiated transaction is its arrival.
      expect(body.transactionTime === planned.toISOString()).toBe(status === 'future');
      expect(await running.feed.getOutcome({ transactionId: id, accountId })).toMatchObject({
        outcome: Outcome.OUTCOME_PENDING,
        amount: dkk('-20.00'),
      });
    },
  );

  it('becomes initiated on the planned day, and late commands of the plan change nothing', async () => {
    const { transactionId } = await begin.future();
    await begin.initiated({ transactionId });
    const initiated = await detail(transactionId);
    expect(initiated).toMatchObject({ status: 'initiated', transactionTime: planned.toISOString() });
    await begin.future({ transactionId });
    await begin.initiated({ transactionId, title: 'Another' });
    expect(await detail(transactionId)).toEqual(initiated);
    await running.settle({ transactionId, accountId });
    const settled = await detail(transactionId);
    expect(settled).toMatchObject({ status: 'financial' });
    expect(
      await moved(() => Promise.all([begin.future({ transactionId }), begin.initiated({ transactionId })])),
    ).toEqual({ balance: 0, reserved: 0 });
    expect(await detail(transactionId)).toEqual(settled);
  });

  it('is compared by account, amount and currency; a difference is refused with its name', async () => {
    const { id: other } = await tpp.account('Budgetkonto');
    for (const [status, next] of [
      ['initiated', 'future'],
      ['future', 'initiated'],
    ] as const) {
      const { transactionId } = await begin[status]();
      const differs = { code: 'DUPLICATE_ID' };
      for (const again of [begin[status], begin[next]]) {
        await expect(again({ transactionId, amount: dkk('-20.01') })).rejects.toMatchObject(differs);
        await expect(again({ transactionId, accountId: other })).rejects.toMatchObject(differs);
      }
      await expect(
        running.authorize({ transactionId, accountId, amount: dkk('-20.00') }),
      ).rejects.toMatchObject({
        ...illegal,
        message: `Authorize is not possible: the transaction is ${status}.`,
      });
      await expect(running.post({ transactionId, accountId, amount: dkk('-20.00') })).rejects.toMatchObject(
        illegal,
      );
      await expect(running.void(transactionId, accountId)).rejects.toMatchObject(illegal);
      expect(await detail(transactionId)).toMatchObject({ status });
    }
    const { transactionId } = await running.post({ accountId, amount: dkk('-20.00') });
    await expect(begin.initiated({ transactionId })).rejects.toMatchObject({ code: 'DUPLICATE_ID' });
    await expect(begin.future({ transactionId })).rejects.toMatchObject({ code: 'DUPLICATE_ID' });
  });

  it('needs a planned day, and cannot exceed the range of the account once it settles', async () => {
    await expect(running.schedule({ accountId })).rejects.toMatchObject({
      code: 'FORMAT_ERROR',
      details: [{ path: 'transactionTime' }],
    });
    const amount = dkk('92233720368547758.07');
    const { transactionId } = await begin.initiated({ amount });
    expect(
      await moved(() =>
        expect(running.settle({ transactionId, accountId })).rejects.toMatchObject({ code: 'FORMAT_ERROR' }),
      ),
    ).toEqual({
      balance: 0,
      reserved: 0,
    });
    await running.fail(transactionId, accountId);
  });
});
