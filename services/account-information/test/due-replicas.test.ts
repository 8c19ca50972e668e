import { randomUUID } from 'node:crypto';
import { openDb } from '@kontoport/database';
import { until } from '@kontoport/embedded/wait';
import { createLogger } from '@kontoport/lifecycle';
import { testDatabase } from '@kontoport/testing/postgres';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { Ledger } from '../src/ledger/ledger.ts';
import type { LedgerEntry } from '../src/ledger/posting.model.ts';
import { settleDue } from '../src/sandbox/settle-due.ts';
import { addAccounts, books } from './ingesting.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
let pool: Db['pool'];
beforeAll(async () => {
  database = await testDatabase('account-information');
  db = openDb({ url: database.url, max: 16, applicationName: 'test', prisma: createPrisma });
  pool = db.pool;
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** Opens the ledger of a replica. */
function openLedger(): Ledger {
  return new Ledger({ db, relay: { wake: () => {} } });
}

/** Adds due transactions of 1.00 to an account; every second one will fail. */
async function due(accountId: string, count: number): Promise<{ settling: string[]; failing: string[] }> {
  const ledger = openLedger();
  const ids = Array.from({ length: count }, () => randomUUID());
  await Promise.all(
    ids.map((transactionId) =>
      ledger.submit({
        command: 'Authorize',
        transactionId,
        accountId,
        amount: { minorUnits: -100n, currency: 'DKK' },
        original: null,
        transactionTime: undefined,
        postingTime: undefined,
        title: 'Due',
        type: 'card',
        details: {},
        requireFunds: false,
      }),
    ),
  );
  const [settling, failing] = [0, 1].map((half) => ids.filter((_id, at) => at % 2 === half));
  for (const [outcome, each] of [
    ['settle', settling],
    ['fail', failing],
  ])
    await pool.query(
      `INSERT INTO sandbox_due (transaction_id, account_id, outcome, ends_at, due_at)
       SELECT id, $2, $3, '2026-02-03T04:05:06Z', '2026-02-03T04:05:06Z' FROM unnest($1::uuid[]) AS id`,
      [each, accountId, outcome],
    );
  return { settling: settling!, failing: failing! };
}

const waiting = async (): Promise<{ id: string; claimed: boolean }[]> =>
  (
    await pool.query<{ id: string; claimed: boolean }>(
      'SELECT transaction_id AS id, claimed_until > now() AS claimed FROM sandbox_due',
    )
  ).rows;

/** Checks the states of the transactions and the account. */
async function expectEnded(
  accountId: string,
  { settling, failing }: Awaited<ReturnType<typeof due>>,
): Promise<void> {
  const { rows } = await pool.query<{ id: string; status: string }>(
    'SELECT id, status FROM transaction WHERE account_id = $1',
    [accountId],
  );
  expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual(
    Object.fromEntries([
      ...settling.map((id) => [id, 'financial']),
      ...failing.map((id) => [id, 'failed_authorization']),
    ]),
  );
  expect(await books(pool, [accountId])).toEqual([
    {
      balance: 100_000 - 100 * settling.length,
      reserved: 0,
      transactions: settling.length + failing.length,
    },
  ]);
}

describe('the due list of the sandbox with two replicas (ADR-0023)', () => {
  it('gives each transaction to one of them, once, also when the claim of a third has run out', async () => {
    const [accountId] = (await addAccounts(pool, 1)) as [string];
    const ids = await due(accountId, 30);
    await pool.query("UPDATE sandbox_due SET claimed_until = now() - interval '1 second'");
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const replica = (before: Promise<void>) => {
      const entered: string[] = [];
      const ledger = openLedger();
      const watched = {
        async submit(entry: LedgerEntry) {
          entered.push(entry.transactionId);
          await before;
          return ledger.submit(entry);
        },
      } as unknown as Ledger;
      return { entered, loop: settleDue({ db, ledger: watched, logger }) };
    };
    const [slow, quick] = [replica(held), replica(Promise.resolve())];
    slow.loop.start();
    await until(() => slow.entered.length > 0, { what: 'claims of the first replica' });
    const claimed = [...slow.entered];
    quick.loop.start();
    await until(async () => (await waiting()).length === claimed.length, {
      what: 'the second replica to do the rest',
    });
    expect((await waiting()).map(({ id }) => id).toSorted()).toEqual(claimed.toSorted());
    expect((await waiting()).every((row) => row.claimed)).toBe(true);
    release();
    await until(async () => (await waiting()).length === 0, { what: 'an empty list' });
    await Promise.all([slow.loop.close(), quick.loop.close()]);
    const entered = [...slow.entered, ...quick.entered];
    expect(entered.toSorted()).toEqual([...ids.settling, ...ids.failing].toSorted());
    expect(slow.entered).toEqual(claimed);
    await expectEnded(accountId, ids);
  });
});
