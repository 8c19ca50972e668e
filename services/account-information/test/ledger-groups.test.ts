import { randomUUID } from 'node:crypto';
import { openDb } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import type { ApiError } from '@kontoport/errors';
import { parseMoney } from '@kontoport/money';
import { testDatabase } from '@kontoport/testing/postgres';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { Ledger } from '../src/ledger/ledger.ts';
import type { Booked, LedgerEntry, Posting } from '../src/ledger/posting.model.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
/** The ledgers of two replicas. Their calls to the relay are ignored. */
let ledgers: readonly [Ledger, Ledger];
beforeAll(async () => {
  database = await testDatabase('account-information');
  db = openDb({
    url: database.url,
    applicationName: 'test',
    max: 20,
    prisma: createPrisma,
  });
  const relay = { wake: () => {} };
  ledgers = [new Ledger({ db, relay }), new Ledger({ db, relay })];
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const START = 1_000n;

async function addAccounts(count: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved, supports_payments,
       supports_transfers)
     SELECT gen_random_uuid(), gen_random_uuid(), 0, 'Test', 'CHECKING', 'DKK', '66950001234567', $2::bigint, 0, true,
       true FROM generate_series(1, $1::int) RETURNING id`,
    [count, START],
  );
  return rows.map(({ id }) => id);
}

const posting = (accountId: string, change: Partial<Posting> = {}): Posting => ({
  transactionId: randomUUID(),
  accountId,
  amount: parseMoney('-1.00', 'DKK'),
  original: null,
  transactionTime: undefined,
  postingTime: undefined,
  title: 'Test',
  type: 'card',
  details: {},
  requireFunds: false,
  ...change,
});
const post = (accountId: string, change: Partial<Posting> = {}): LedgerEntry => ({
  ...posting(accountId, change),
  command: 'Post',
});
const dkk = (value: string) => ({ amount: parseMoney(value, 'DKK') });

/** Submits concurrent entries. Returns for each the balance in minor units, `done`, or the error's code. */
async function enter(entries: readonly LedgerEntry[], ledger = ledgers[0]): Promise<unknown[]> {
  const settled = await Promise.allSettled(entries.map((entry) => ledger.submit(entry)));
  return settled.map((outcome) =>
    outcome.status === 'fulfilled' ? said(outcome.value) : (outcome.reason as ApiError).code,
  );
}

const said = (booked: Booked | undefined): unknown => booked?.balanceAfter ?? 'done';

async function rowsOf<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
  return (await db.query<Row>(text, values)).rows;
}

/** Counts the database transactions that wrote these rows. */
async function transactionsOf(ids: readonly string[]): Promise<number> {
  const [row] = await rowsOf<{ count: string }>(
    'SELECT count(DISTINCT xmin::text) AS count FROM transaction WHERE id = ANY ($1)',
    [ids],
  );
  return Number(row!.count);
}

const held = async (accountId: string) =>
  (await rowsOf<object>('SELECT balance::int, reserved::int FROM account WHERE id = $1', [accountId]))[0];

describe('concurrent entries (ADR-0021)', () => {
  it('share one database transaction, and each has the outcome that it would have alone', async () => {
    const [one, other, poor] = (await addAccounts(3)) as [string, string, string];
    const [first, short, card, dropped, away] = Array.from({ length: 5 }, () => randomUUID()) as string[];
    const outcomes = await enter([
      post(one, { transactionId: first!, ...dkk('-2.00') }),
      post(one, { transactionId: first!, ...dkk('-2.00') }),
      post(one, { transactionId: first!, ...dkk('-2.01') }),
      post(other, { transactionId: first!, ...dkk('-2.00') }),
      post(poor, { transactionId: short!, requireFunds: true, ...dkk('-10.01') }),
      post(poor, { requireFunds: true, ...dkk('-10.00') }),
      post(poor, { transactionId: short!, ...dkk('-10.01') }),
      post(poor, { requireFunds: true, ...dkk('-0.01') }),
      post(poor, { requireFunds: true, ...dkk('0.01') }),
      post(randomUUID()),
      post(one, { amount: parseMoney('-1.00', 'SEK') }),
      { ...posting(other, { transactionId: card!, ...dkk('-3.00') }), command: 'Authorize' },
      { ...posting(other, { transactionId: dropped!, ...dkk('-4.00') }), command: 'Authorize' },
      { command: 'Fail', transactionId: dropped!, accountId: other },
      { command: 'Settle', transactionId: card!, accountId: other, ...dkk('-3.50'), postingTime: undefined },
      {
        command: 'Settle',
        transactionId: dropped!,
        accountId: other,
        amount: undefined,
        postingTime: undefined,
      },
      { command: 'Void', transactionId: away!, accountId: one },
      post(one, { transactionId: away! }),
      post(one),
    ]);
    expect(outcomes).toEqual([
      800n,
      800n,
      'DUPLICATE_ID',
      'DUPLICATE_ID',
      'FUNDS_INSUFFICIENT',
      0n,
      'FUNDS_INSUFFICIENT',
      'FUNDS_INSUFFICIENT',
      1n,
      'RESOURCE_UNKNOWN',
      'FORMAT_ERROR',
      'done',
      'done',
      'done',
      650n,
      'STATUS_INVALID',
      'done',
      'STATUS_INVALID',
      700n,
    ]);
    expect(await transactionsOf([first!, short!, card!, dropped!, away!])).toBe(1);
    expect(await held(one)).toEqual({ balance: 700, reserved: 0 });
    expect(await held(other)).toEqual({ balance: 650, reserved: 0 });
    expect(await held(poor)).toEqual({ balance: 1, reserved: 0 });
    const rows = await rowsOf(
      `SELECT id, status, billing_amount::int, authorized_amount::int, transaction_amount::int, balance_after::int,
         refusal, removed_at IS NOT NULL AS removed, posting_time IS NOT NULL AS posted
       FROM transaction WHERE id = ANY ($1) ORDER BY array_position($1, id)`,
      [[card, dropped, short, away]],
    );
    const row = (id: unknown, status: string, amounts: (number | null)[], refusal: string | null = null) => ({
      id,
      status,
      billing_amount: amounts[0],
      authorized_amount: amounts[1],
      transaction_amount: amounts[2],
      balance_after: amounts[3],
      refusal,
      removed: status !== 'financial',
      posted: status === 'financial',
    });
    expect(rows).toEqual([
      row(card, 'financial', [-350, -300, null, 650]),
      row(dropped, 'failed_authorization', [-400, -400, null, null]),
      row(short, 'declined', [-1001, null, null, null], 'FUNDS_INSUFFICIENT'),
      row(away, 'declined', [0, null, null, null], 'VOIDED'),
    ]);
  });

  it('have rising posting times on an account, and their events in that order', async () => {
    const [accountId] = await addAccounts(1);
    const last = '2099-01-01T00:00:00.500Z';
    await db.query('UPDATE account SET last_posting_time = $2 WHERE id = $1', [accountId, last]);
    const given = new Date('2026-01-02T03:04:05.678Z');
    const entries = [post(accountId!), post(accountId!, { postingTime: given }), post(accountId!)];
    const booked = await Promise.all(entries.map((entry) => ledgers[0].submit(entry)));
    const times = booked.map((each) => each!.postingTime.toISOString());
    expect(times).toEqual(['2099-01-01T00:00:00.501Z', given.toISOString(), '2099-01-01T00:00:00.502Z']);
    const events = await rowsOf<{ value: string }>('SELECT value FROM outbox WHERE key = $1 ORDER BY id', [
      accountId,
    ]);
    expect(
      events.map(({ value }) => (JSON.parse(value) as { ledgerPostingId: string }).ledgerPostingId),
    ).toEqual(entries.map(({ transactionId }) => transactionId));
  });

  it('do not wait for another account’s lock', async () => {
    const [free, blocked] = (await addAccounts(2)) as [string, string];
    const holder = await db.pool.connect();
    let waiting: Promise<unknown[]>;
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [blocked]);
      waiting = enter([post(blocked), post(blocked), post(blocked)]);
      expect(await enter([post(free), post(free)])).toEqual([900n, 800n]);
      expect(await held(blocked)).toEqual({ balance: 1000, reserved: 0 });
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(await waiting).toEqual([900n, 800n, 700n]);
  });

  it('are decided again when another entry was stored under one of their ids meanwhile', async () => {
    const [mine, theirs] = (await addAccounts(2)) as [string, string];
    const taken = randomUUID();
    const card = randomUUID();
    await enter([{ ...posting(mine, { transactionId: card }), command: 'Authorize' }]);
    const holder = await db.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(
        `INSERT INTO transaction (id, account_id, status, type, transaction_time, billing_amount, title, details)
         VALUES ($1, $2, 'authorization', 'card', now(), 1, '', '{}')`,
        [taken, theirs],
      );
      await holder.query('UPDATE transaction SET title = $2 WHERE id = $1', [card, 'Changed']);
      const outcomes = enter([
        post(mine),
        post(mine, { transactionId: taken }),
        {
          command: 'Settle',
          transactionId: card,
          accountId: mine,
          amount: undefined,
          postingTime: undefined,
        },
        post(mine),
      ]);
      await until(
        async () =>
          (
            await db.query(
              "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
            )
          ).rowCount !== 0,
        { what: 'the group to wait' },
      );
      await holder.query(
        `UPDATE transaction SET status = 'failed_authorization', removed_at = now(), authorized_amount = billing_amount
         WHERE id = $1`,
        [card],
      );
      await holder.query('COMMIT');
      expect(await outcomes).toEqual([900n, 'DUPLICATE_ID', 'STATUS_INVALID', 800n]);
    } finally {
      holder.release();
    }
    expect(await held(mine)).toEqual({ balance: 800, reserved: 100 });
  });

  it('are written except for the one that the database rejects', async () => {
    const [accountId, other] = (await addAccounts(2)) as [string, string];
    await db.query(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'spoiled'; END $$`);
    await db.query(`CREATE TRIGGER spoil BEFORE INSERT ON transaction FOR EACH ROW WHEN (NEW.title = 'Spoiled')
      EXECUTE FUNCTION spoil()`);
    const entries = Array.from({ length: 21 }, (_, at) =>
      post(at % 3 === 0 ? other : accountId, at === 7 || at === 8 ? { title: 'Spoiled' } : {}),
    );
    const outcomes = await enter(entries);
    const balances = { [accountId]: START, [other]: START };
    expect(outcomes).toEqual(
      entries.map((entry, at) =>
        at === 7 || at === 8
          ? 'INTERNAL_ERROR'
          : (balances[entry.accountId] = balances[entry.accountId]! - 100n),
      ),
    );
    expect(await held(accountId)).toEqual({ balance: Number(balances[accountId]), reserved: 0 });
  });

  it('of two replicas neither deadlock nor post twice', async () => {
    const accounts = await addAccounts(6);
    const rounds = 15;
    for (let round = 0; round < rounds; round++) {
      const entries = accounts.flatMap((accountId) => [post(accountId), post(accountId)]);
      // Both use the same id for different accounts.
      const shared = randomUUID();
      const [there, back] = [
        [...entries, post(accounts[0]!, { transactionId: shared })],
        [post(accounts[5]!, { transactionId: shared }), ...entries.toReversed()],
      ];
      const [one, two] = await Promise.all([enter(there, ledgers[0]), enter(back, ledgers[1])]);
      expect(two.slice(1).toReversed()).toEqual(one.slice(0, -1));
      expect([one.at(-1), two[0]].filter((outcome) => outcome === 'DUPLICATE_ID')).toHaveLength(1);
    }
    const [sum] = await rowsOf<{ balance: string }>(
      'SELECT sum(balance) AS balance FROM account WHERE id = ANY ($1)',
      [accounts],
    );
    expect(Number(sum!.balance)).toBe(6 * Number(START) - rounds * 13 * 100);
  });

  it('are refused when the queue is full, and dropped when their callers have left', async () => {
    const [accountId] = (await addAccounts(1)) as [string];
    const gone = new AbortController();
    const first = ledgers[0].submit(post(accountId));
    const given = ledgers[0]
      .submit(post(accountId), { signal: gone.signal })
      .catch((error: unknown) => error);
    gone.abort();
    const many = enter(Array.from({ length: 10_000 }, () => post(randomUUID())));
    expect((await first)!.balanceAfter).toBe(900n);
    expect(await given).toMatchObject({ code: 'UNAVAILABLE' });
    const outcomes = await many;
    expect(outcomes.slice(-2)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    expect(outcomes[0]).toBe('RESOURCE_UNKNOWN');
    expect(await enter([post(accountId)])).toEqual([800n]);
  });
});
