import { randomUUID } from 'node:crypto';
import { openPool, type Tx } from '@kontoport/database';
import { parseMoney } from '@kontoport/money';
import { openPlanning, type Planning, rowsRead } from '@kontoport/testing/statement-work';
import type { PresentCaller } from '../src/consents/caller.model.ts';
import { findEntry } from '../src/ledger/entry.repository.ts';
import {
  bookPosting,
  holdAuthorization,
  releaseAuthorization,
  settleAuthorization,
} from '../src/ledger/ledger.repository.ts';
import type { Posting } from '../src/ledger/posting.model.ts';
import { selectTransaction } from '../src/transactions/transaction-detail.repository.ts';
import { selectTransactionList } from '../src/transactions/transaction-list.repository.ts';
import { selectTransactionPage } from '../src/transactions/transaction-page.repository.ts';

/** Transactions of the account in question, and as many of others; clients with a consent for other accounts. */
const TRANSACTIONS = 20_000;
const OTHERS = 5_000;
const PAGE = 100;

type Pool = ReturnType<typeof openPool>;

const clientId = randomUUID();
const accountId = randomUUID();
const lastTransaction = randomUUID();
const caller = { clientId } as PresentCaller;

const STATISTICS = {
  'never taken': 'never',
  'taken on empty tables': 'before',
  'taken when they had grown': 'after',
};

const newPosting = (): Posting => ({
  transactionId: randomUUID(),
  accountId,
  amount: parseMoney('1.00', 'DKK'),
  original: parseMoney('1.00', 'DKK'),
  transactionTime: undefined,
  postingTime: undefined,
  title: 'Test',
  type: 'domesticCreditTransfer',
  details: {},
  requireFunds: false,
});

/** An authorization and its settlement. */
async function settle(tx: Tx) {
  const posting = newPosting();
  await holdAuthorization(tx, posting);
  return settleAuthorization(tx, { ...posting, amount: 100n });
}

const page = (tx: Tx, postingTime?: string) =>
  selectTransactionPage(tx, {
    caller,
    accountId,
    from: undefined,
    to: undefined,
    after: postingTime === undefined ? undefined : { postingTime, id: randomUUID() },
    rows: PAGE,
  });

const list = (tx: Tx, request: { offset: number; to?: string }) =>
  selectTransactionList(tx, { caller, accountId, request: { limit: PAGE, ...request } });

const detail = (tx: Tx) => selectTransaction(tx, { caller, accountId, transactionId: lastTransaction });

describe.each(Object.entries(STATISTICS))(
  'what an account holds costs no statement more than its answer, statistics %s (§4.3)',
  (_name, analyzed) => {
    let pool: Planning['pool'];
    let close: Planning['close'];
    let connections: Planning['connections'];

    beforeAll(async () => {
      ({ pool, connections, close } = await openPlanning('account-information'));
      if (analyzed === 'before') await pool.query('ANALYZE');
      await rowsRead(connections[1], async (tx) => {
        await page(tx);
        await list(tx, { offset: 0 });
        await detail(tx);
        await bookPosting(tx, newPosting());
        await findEntry(tx, randomUUID());
        await settle(tx);
        await releaseAuthorization(tx, newPosting());
      });
      await grow(pool);
      if (analyzed === 'after') await pool.query('ANALYZE');
    }, 60_000);
    afterAll(() => close());

    const most = async (work: (tx: Tx) => Promise<unknown>): Promise<number> => {
      const [custom, kept] = [await rowsRead(connections[0], work), await rowsRead(connections[1], work)];
      return Math.max(custom, kept);
    };

    it.each([
      ['first', undefined],
      ['deep', '2026-01-05T00:00:00.000Z'],
    ])('the %s page of transactions is found by reading the page', async (_which, postingTime) => {
      const read = await most(async (tx) => expect((await page(tx, postingTime))?.posted).toHaveLength(PAGE));
      expect(read).toBeLessThanOrEqual(PAGE + 20);
    });

    it.each([
      ['whole', {}],
      ['older', { to: '2026-01-05T00:00:00.000Z' }],
    ])(
      'the flat list, %s, reads what it passes over once and what it tells twice',
      async (_which, window) => {
        for (const offset of [0, 200]) {
          const read = await most(async (tx) =>
            expect((await list(tx, { offset, ...window }))?.transactions).toHaveLength(PAGE),
          );
          expect(read).toBeLessThanOrEqual(offset + 2 * PAGE + 20);
        }
      },
    );

    it('a transaction is found by its id', async () => {
      const read = await most(async (tx) => expect(await detail(tx)).toMatchObject({ deleted: false }));
      expect(read).toBeLessThanOrEqual(10);
    });

    it('a posting is booked, and its audience found, without reading what the account or others hold', async () => {
      const read = await most(async (tx) =>
        expect((await bookPosting(tx, newPosting()))?.audience).toEqual([clientId]),
      );
      expect(read).toBeLessThanOrEqual(20);
    });

    it('an authorization is held, settled and released without reading what the account or others hold', async () => {
      const settled = await most(async (tx) =>
        expect(await settle(tx)).toMatchObject({ audience: [clientId] }),
      );
      expect(settled).toBeLessThanOrEqual(30);
      const released = await most(async (tx) => {
        const posting = newPosting();
        await holdAuthorization(tx, posting);
        expect(await releaseAuthorization(tx, posting)).toBe(true);
      });
      expect(released).toBeLessThanOrEqual(20);
    });

    it('a repeated posting is found by its id', async () => {
      const read = await most(async (tx) => {
        const posting = newPosting();
        await bookPosting(tx, posting);
        expect(await findEntry(tx, posting.transactionId)).toBeDefined();
      });
      expect(read).toBeLessThanOrEqual(22);
    });
  },
);

/** The account with its transactions, and the accounts and consents of many others. */
async function grow(pool: Pool): Promise<void> {
  const account = `INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved,
      supports_payments, supports_transfers)
    SELECT id, gen_random_uuid(), 1, 'Account', 'CHECKING', 'DKK', '00400440116243', 0, 0, true, true`;
  await pool.query(`${account} FROM unnest($1::uuid[]) AS id`, [[accountId]]);
  await pool.query(
    `${account} FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1::int)) AS other`,
    [OTHERS],
  );
  await pool.query(
    `WITH fresh AS (
       INSERT INTO consent (id, client_id, user_id, granted_at, roles)
       SELECT gen_random_uuid(), CASE WHEN id = $1 THEN $2::uuid ELSE gen_random_uuid() END, user_id, now(), '{PSP_AI,PSP_PI}'
       FROM account RETURNING id, user_id
     )
     INSERT INTO consent_account (consent_id, account_id)
     SELECT fresh.id, account.id FROM fresh JOIN account USING (user_id)`,
    [accountId, clientId],
  );
  const transaction = `INSERT INTO transaction (id, account_id, status, type, transaction_time, posting_time,
      billing_amount, title, details)
    SELECT id, account_id, 'financial', 'unknown', at, at, 1, 'Test', '{}'`;
  await pool.query(
    `${transaction} FROM (
       SELECT CASE WHEN n = $2 THEN $3::uuid ELSE gen_random_uuid() END AS id, $1::uuid AS account_id,
         '2026-01-01Z'::timestamptz + n * interval '1 minute' AS at
       FROM generate_series(1, $2::int) AS n
     ) AS own`,
    [accountId, TRANSACTIONS, lastTransaction],
  );
  await pool.query(
    `${transaction} FROM (SELECT gen_random_uuid() AS id, id AS account_id, now() AS at FROM account, generate_series(1, 4) WHERE id <> $1) AS theirs`,
    [accountId],
  );
}
