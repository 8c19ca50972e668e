import { randomUUID } from 'node:crypto';
import { LEDGER_COMMANDS, type LedgerCommand } from '../src/ledger/entry.model.ts';
import { heldBy, movedBy } from './account-amounts.ts';
import { attachment } from './attachment.ts';
import { LEGAL } from './legal-moves.ts';
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

const held = () => heldBy(running.pool, accountId);
const moved = (work: () => Promise<unknown>) => movedBy(running.pool, accountId, work);

const authorize = async (amount = '-10.00'): Promise<string> => {
  const transactionId = randomUUID();
  await running.authorize({ transactionId, accountId, amount: dkk(amount), type: 'card', title: 'Bageren' });
  return transactionId;
};

/** A transaction of the account from outside the feed, without a reserved amount. */
const simulated = async (status: string, amount = -1500): Promise<string> => {
  const { rows } = await running.pool.query<{ id: string }>(
    `INSERT INTO transaction (id, account_id, status, type, transaction_time, billing_amount, title, details)
     VALUES (gen_random_uuid(), $1, $2, 'domesticCreditTransfer', now(), $3, 'Test', '{}') RETURNING id`,
    [accountId, status, amount],
  );
  return rows[0]!.id;
};

const detail = async (id: string) => (await tpp.get(`/accounts/${accountId}/transactions/${id}`)).body;
const pendingIds = async () => (await tpp.page(accountId)).pending.map(({ id }) => id);
const notFound = { code: 'RESOURCE_UNKNOWN' };

describe('an authorization of the bank (§3.1)', () => {
  it('reserves its debit, is listed as pending and has no event', async () => {
    let id = '';
    expect(await moved(async () => (id = await authorize('-10.50')))).toEqual({ balance: 0, reserved: 1050 });
    const found = (await tpp.page(accountId)).pending.find((transaction) => transaction.id === id);
    expect(found).toMatchObject({
      status: 'authorization',
      postingTime: null,
      billingAmount: { amount: -10.5, currency: 'DKK' },
      transactionAmount: { amount: -10.5, currency: 'DKK' },
    });
    expect(await moved(() => authorize('7.00'))).toEqual({ balance: 0, reserved: 0 });
  });

  it('settles with its own amount and posting time under the same id, and emits one event', async () => {
    const [id, failing] = [await authorize(), await authorize('-3.00')];
    const postingTime = new Date('2026-01-02T03:04:05.678Z');
    const request = { transactionId: id, accountId, amount: dkk('-12.25'), postingTime };
    await running.fail(failing, accountId);
    let first: unknown;
    const change = await moved(async () => (first = await running.settle(request)));
    expect(change).toEqual({ balance: -1225, reserved: -1000 });
    const { balance } = await held();
    expect(first).toEqual({ transactionId: id, postingTime, balanceAfter: dkk((balance / 100).toFixed(2)) });
    expect(await pendingIds()).not.toContain(id);
    expect(await detail(id)).toMatchObject({
      id,
      status: 'financial',
      deleted: false,
      postingTime: postingTime.toISOString(),
      billingAmount: { amount: -12.25, currency: 'DKK' },
      transactionAmount: { amount: -10, currency: 'DKK' },
      accountBalanceAfterTransaction: { amount: balance / 100, currency: 'DKK' },
    });
    const { value } = await topic.find(id);
    expect(value).toMatchObject({
      ledgerPostingId: id,
      amountValue: '12.25',
      credit: false,
      postingTime: postingTime.toISOString(),
      audience: [tpp.clientId],
    });

    expect(await moved(async () => expect(await running.settle(request)).toEqual(first))).toEqual({
      balance: 0,
      reserved: 0,
    });
    await running.post({ accountId });
    const events = topic.events.map((event) => event.value.ledgerPostingId);
    expect(events.filter((posted) => posted === id)).toHaveLength(1);
    expect(events).not.toContain(failing);
  });

  it('settles with the authorized amount by default, also a credit', async () => {
    const [debit, credit] = [await authorize(), await authorize('4.00')];
    expect(await moved(() => running.settle({ transactionId: debit, accountId }))).toEqual({
      balance: -1000,
      reserved: -1000,
    });
    expect(await moved(() => running.settle({ transactionId: credit, accountId }))).toEqual({
      balance: 400,
      reserved: 0,
    });
  });

  it('is removed when it fails: not reserved, in no list, readable by its id with deleted: true', async () => {
    const id = await authorize();
    expect(await moved(() => running.fail(id, accountId))).toEqual({ balance: 0, reserved: -1000 });
    expect(await moved(() => running.fail(id, accountId))).toEqual({ balance: 0, reserved: 0 });
    expect(await pendingIds()).not.toContain(id);
    const flat = await tpp.get(`/accounts/${accountId}/transactions?limit=20`);
    expect((flat.body.transactions as TransactionBody[]).map((transaction) => transaction.id)).not.toContain(
      id,
    );
    expect(await detail(id)).toMatchObject({ id, status: 'failed_authorization', deleted: true });
  });

  it('ends once in any race of settlements and failures, with exact sums', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => authorize('-1.00')));
    const { balance, reserved } = await moved(() =>
      Promise.allSettled(
        ids.flatMap((transactionId) => [
          running.settle({ transactionId, accountId }),
          running.fail(transactionId, accountId),
          running.settle({ transactionId, accountId }),
          running.post({ transactionId, accountId, amount: dkk('-1.00') }),
        ]),
      ),
    );
    expect(reserved).toBe(-1200);
    const { rows } = await running.pool.query<{ status: string }>(
      'SELECT status FROM transaction WHERE id = ANY($1)',
      [ids],
    );
    const settled = rows.filter(({ status }) => status === 'financial').length;
    expect(settled + rows.filter(({ status }) => status === 'failed_authorization').length).toBe(12);
    expect(balance).toBe(0 - 100 * settled);
  });
});

describe('the transitions of an id in the feed (§3.1, ADR-0019)', () => {
  const reach: Record<string, () => Promise<string>> = {
    unused: async () => randomUUID(),
    authorized: () => authorize(),
    settled: async () => {
      const id = await authorize();
      await running.settle({ transactionId: id, accountId });
      return id;
    },
    failed: async () => {
      const id = await authorize();
      await running.fail(id, accountId);
      return id;
    },
    refused: async () => {
      const transactionId = randomUUID();
      const refused = running.post({
        transactionId,
        accountId,
        amount: dkk('-9999999.00'),
        requireFunds: true,
      });
      await expect(refused).rejects.toMatchObject({ code: 'FUNDS_INSUFFICIENT' });
      return transactionId;
    },
    ...Object.fromEntries(
      ['initiated', 'future', 'interim', 'failed_authorization', 'declined', 'unknown'].map((status) => [
        status,
        () => simulated(status),
      ]),
    ),
    voided: async () => {
      const transactionId = randomUUID();
      await running.void(transactionId, accountId);
      return transactionId;
    },
  };
  const run: Record<LedgerCommand, (transactionId: string) => Promise<unknown>> = {
    Post: (transactionId) => running.post({ transactionId, accountId, amount: dkk('-77.00') }),
    Authorize: (transactionId) => running.authorize({ transactionId, accountId, amount: dkk('-77.00') }),
    Initiate: (transactionId) => running.initiate({ transactionId, accountId, amount: dkk('-15.00') }),
    Schedule: (transactionId) =>
      running.schedule({ transactionId, accountId, amount: dkk('-77.00'), transactionTime: new Date() }),
    Settle: (transactionId) => running.settle({ transactionId, accountId, amount: dkk('-77.00') }),
    Fail: (transactionId) => running.fail(transactionId, accountId),
    Void: (transactionId) => running.void(transactionId, accountId),
    Enrich: (transactionId) =>
      running.feed.enrich({ transactionId, accountId, updateMask: ['message'], message: 'x' }),
    PutAttachment: (transactionId) => running.feed.upload(attachment({ transactionId, accountId })),
  };
  const status = async (id: string): Promise<string | undefined> => {
    const { rows } = await running.pool.query<{ status: string }>(
      'SELECT status FROM transaction WHERE id = $1',
      [id],
    );
    return rows[0]?.status;
  };
  const moves = Object.keys(reach).flatMap((state) =>
    LEDGER_COMMANDS.map((command) => [state, command] as const),
  );

  it('cover every state', () => {
    expect(Object.keys(LEGAL).toSorted()).toEqual(Object.keys(reach).toSorted());
  });

  it.each(moves.filter(([state, command]) => LEGAL[state]![command] !== undefined))(
    'go from %s by %s',
    async (state, command) => {
      const id = await reach[state]!();
      const [then, balance, reserved] = LEGAL[state]![command]!;
      expect(await moved(() => run[command](id))).toEqual({ balance, reserved });
      expect(await status(id)).toBe(then);
    },
  );

  it.each(moves.filter(([state, command]) => LEGAL[state]![command] === undefined))(
    'do not go from %s by %s',
    async (state, command) => {
      const id = await reach[state]!();
      const before = await status(id);
      const codes = state === 'unused' ? ['RESOURCE_UNKNOWN'] : ['STATUS_INVALID', 'DUPLICATE_ID'];
      const change = await moved(async () => {
        const error = await run[command](id).then(
          () => undefined,
          (thrown: { code: string; message: string }) => thrown,
        );
        expect(codes).toContain(error?.code);
        const words = `${command} is not possible: the transaction is ${state}`;
        expect(error?.message).toContain(error?.code === 'STATUS_INVALID' ? words : '');
      });
      expect(change).toEqual({ balance: 0, reserved: 0 });
      expect(await status(id)).toBe(before);
    },
  );

  it('find no transaction of another account, and no unknown account', async () => {
    const id = await authorize();
    const { id: other } = await tpp.account('Budgetkonto');
    await expect(running.settle({ transactionId: id, accountId: other })).rejects.toMatchObject(notFound);
    await expect(running.fail(id, other)).rejects.toMatchObject(notFound);
    await expect(running.void(randomUUID(), randomUUID())).rejects.toMatchObject(notFound);
    await expect(running.authorize({ accountId: randomUUID() })).rejects.toMatchObject(notFound);
    expect(await pendingIds()).toContain(id);
  });

  it('accept an amount in the currency of the account only, and otherwise change nothing', async () => {
    const id = await authorize();
    const change = await moved(async () => {
      for (const amount of [
        { value: '-1.00', currency: 'SEK' },
        { value: '0', currency: 'DKK' },
        { value: '-1.001', currency: 'DKK' },
        { value: 'x', currency: 'DKK' },
      ])
        await expect(running.settle({ transactionId: id, accountId, amount })).rejects.toMatchObject({
          code: 'FORMAT_ERROR',
        });
      await expect(running.fail('none', accountId)).rejects.toMatchObject({ code: 'FORMAT_ERROR' });
      await expect(running.void(id, '\0')).rejects.toMatchObject({ code: 'FORMAT_ERROR' });
      await expect(
        running.authorize({ accountId, amount: { value: '-1', currency: 'SEK' } }),
      ).rejects.toMatchObject({ code: 'FORMAT_ERROR' });
    });
    expect(change).toEqual({ balance: 0, reserved: 0 });
    expect(await pendingIds()).toContain(id);
  });
});

describe('a refusal of the feed (ADR-0019)', () => {
  it.each(['post', 'authorize'] as const)(
    'of %s is stored: the id never posts, also with funds',
    async (command) => {
      const request = {
        transactionId: randomUUID(),
        accountId,
        amount: dkk('-8000000.00'),
        requireFunds: true,
      };
      const short = { code: 'FUNDS_INSUFFICIENT' };
      const change = await moved(async () => {
        await expect(running[command](request)).rejects.toMatchObject(short);
        await expect(running[command]({ ...request, requireFunds: false })).rejects.toMatchObject(short);
        await expect(running[command]({ ...request, amount: dkk('-1.00') })).rejects.toMatchObject({
          code: 'DUPLICATE_ID',
        });
      });
      expect(change).toEqual({ balance: 0, reserved: 0 });
      expect(await detail(request.transactionId)).toMatchObject({ errorCode: 'RESOURCE_UNKNOWN' });
    },
  );
});
