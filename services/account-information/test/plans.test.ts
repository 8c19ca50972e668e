import { randomUUID } from 'node:crypto';
import { openDb, openPool, type Tx } from '@kontoport/database';
import { parseMoney } from '@kontoport/money';
import { openPlanning, type Planning, rowsRead, withinOne } from '@kontoport/testing/statement-work';
import type { PresentCaller } from '../src/accounts/account.model.ts';
import { findAccount, findAccounts, findAccountsOfUser } from '../src/accounts/account.repository.ts';
import {
  findAttachment,
  findStored,
  insertAttachment,
  readPart,
} from '../src/attachments/attachment.repository.ts';
import type { ConsentRequest } from '../src/consents/consent.model.ts';
import {
  countLiveAlone,
  deleteEnded,
  endConsent,
  endOldestGiven,
  findConsent,
  findConsentOfClient,
  findConsentsOfUser,
  findLiveConsents,
  findStoredAccounts,
  insertConsent,
  keepLatestEnded,
} from '../src/consents/consent.repository.ts';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { type Decided, decideEntry } from '../src/ledger/decide-entry.model.ts';
import {
  findEntry,
  findAccounts as findLedgerAccounts,
  type LedgerRow,
  lockStatement,
  readLedgerState,
  writeLedgerState,
} from '../src/ledger/ledger-state.repository.ts';
import { postingEvent } from '../src/ledger/posting-event.ts';
import type { LedgerEntry, Posting } from '../src/ledger/posting.model.ts';
import { lockTransactions, replaceDetails } from '../src/ledger/stored-transaction.repository.ts';
import {
  selectTransaction,
  selectTransactionList,
  selectTransactionPage,
} from '../src/transactions/transaction.repository.ts';

/** Transactions of the account under test, and as many of other accounts; clients with a consent for other accounts. */
const TRANSACTIONS = 20_000;
const OTHERS = 5_000;
const PAGE = 100;

type Pool = ReturnType<typeof openPool>;

const clientId = randomUUID();
const accountId = randomUUID();
const lastTransaction = randomUUID();
const caller = { clientId, role: 'PSP_AI' } as PresentCaller;

const userId = randomUUID();

const within = withinOne(createPrisma);

/** Gives a consent, reads it by every query and revokes it. */
async function giveAndTake(tx: Db): Promise<void> {
  const now = new Date();
  const asked: ConsentRequest = {
    id: randomUUID(),
    clientId,
    userId,
    accountIds: [accountId],
    roles: ['PSP_AI'],
    validUntil: new Date(now.getTime() + 60_000),
  };
  await countLiveAlone(tx, asked);
  await insertConsent(tx, { asked, now });
  await keepLatestEnded(tx, asked);
  expect(await findConsent(tx, asked.id)).toMatchObject({ clientId, userId });
  expect(await findConsentOfClient(tx, caller, asked.id)).toMatchObject({ id: asked.id });
  expect(await findConsentsOfUser(tx, { userId, endedSince: now })).toHaveLength(1);
  await findStoredAccounts(tx, asked.id);
  expect(await endConsent(tx, { consentId: asked.id, userId, now })).toBe(true);
  const next = { ...asked, id: randomUUID() };
  await insertConsent(tx, { asked: next, now });
  expect(await endOldestGiven(tx, { ...next, most: 1, now })).toEqual([next.id]);
  await deleteEnded(tx, { before: new Date(0), limit: 10 });
}

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

/** Writes entries in one group, with both forms of the lock statement. */
async function enter(tx: Tx, ...entries: readonly LedgerEntry[]): Promise<Decided> {
  const transactionIds = entries.map(({ transactionId }) => transactionId);
  const opening = { accountIds: [accountId], transactionIds };
  await tx.query(lockStatement({ ...opening, wait: true }));
  const state = readLedgerState((await tx.query<LedgerRow>(lockStatement({ ...opening, wait: false }))).rows);
  if (entries.some(({ command }) => command === 'Enrich'))
    state.stored = await lockTransactions(tx, transactionIds);
  const decided = entries.map((entry) => decideEntry(state, entry));
  const events = decided.flatMap(({ booking }) => (booking ? [postingEvent(booking, undefined)] : []));
  expect(await writeLedgerState(tx, state, events)).toBe(true);
  return decided.at(-1)!;
}

const post = (posting: Posting): LedgerEntry => ({ ...posting, command: 'Post' });

/** Authorizes an amount; a second group ends it. */
async function end(tx: Tx, command: 'Settle' | 'Fail'): Promise<Decided> {
  const posting = newPosting();
  await enter(tx, { ...posting, command: 'Authorize' });
  return command === 'Settle'
    ? enter(tx, { ...posting, command, postingTime: undefined })
    : enter(tx, { ...posting, command });
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
  'no statement reads more than its answer, statistics %s (§4.3)',
  (_name, analyzed) => {
    let pool: Planning['pool'];
    let close: Planning['close'];
    let connections: Planning['connections'];
    /** Over one connection. Prisma does not name its statements: each is planned for its values. */
    let db: Db;

    beforeAll(async () => {
      const planning = await openPlanning('account-information');
      ({ pool, connections, close } = planning);
      db = openDb({ url: planning.url, max: 1, applicationName: 'plans', prisma: createPrisma });
      if (analyzed === 'before') await pool.query('ANALYZE');
      await rowsRead(
        connections[1],
        within(async (tx) => {
          await page(tx);
          await list(tx, { offset: 0 });
          await detail(tx);
          await tx.query(`${ADD_ACCOUNT} FROM unnest($1::uuid[]) AS id`, [[accountId]]);
          await enter(tx, post(newPosting()));
          await end(tx, 'Settle');
          const nothing = { caller, accountId, transactionId: randomUUID(), attachmentId: randomUUID() };
          await lockTransactions(tx, [nothing.transactionId]);
          await findLedgerAccounts(tx, [accountId]);
          await findEntry(tx, nothing.transactionId);
          await findLiveConsents(tx, caller);
          await findConsent(tx, nothing.transactionId);
          await findStored(tx, nothing.attachmentId);
          await findAttachment(tx, nothing);
          await readPart(tx, nothing, { offset: 0, bytes: 1 });
        }),
      );
      await grow(pool);
      if (analyzed === 'after') await pool.query('ANALYZE');
    });
    afterAll(async () => {
      await db.close();
      await close();
    });

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

    it('a consent is created, read and revoked without reading those of others', async () => {
      expect(await most(within(giveAndTake))).toBeLessThanOrEqual(40);
    });

    it('the live consents of a client are listed without reading those of others', async () => {
      const read = await most(async (tx) =>
        expect(await findLiveConsents(tx, caller)).toMatchObject([{ accountIds: [accountId] }]),
      );
      expect(read).toBeLessThanOrEqual(10);
    });

    it('accounts are found, for their user and for clients, without reading those of others', async () => {
      const read = await rowsRead(db, async () => {
        expect(await findAccounts(db, caller)).toMatchObject([{ id: accountId }]);
        const { userId: owner } = (await findAccount(db, caller, accountId))!;
        expect(await findAccountsOfUser(db, owner)).toHaveLength(1);
        expect(await findAccount(db, caller, randomUUID())).toBeUndefined();
      });
      expect(read).toBeLessThanOrEqual(30);
    });

    it('the ledger finds entries by their ids', async () => {
      const read = await most(async (tx) => {
        expect([...(await findLedgerAccounts(tx, [accountId, randomUUID()]))]).toEqual([accountId]);
        expect(await findEntry(tx, lastTransaction)).toMatchObject({ accountId });
      });
      expect(read).toBeLessThanOrEqual(10);
    });

    it('a transaction is found by its id', async () => {
      const read = await most(async (tx) => expect(await detail(tx)).toMatchObject({ deleted: false }));
      expect(read).toBeLessThanOrEqual(10);
    });

    it('a posting is stored, and its audience found, without reading other rows of the account', async () => {
      const read = await most(async (tx) =>
        expect((await enter(tx, post(newPosting()))).booking?.audience).toEqual([clientId]),
      );
      expect(read).toBeLessThanOrEqual(30);
    });

    it('a group reads no more for an account than a single posting does', async () => {
      const read = await most((tx) => enter(tx, ...Array.from({ length: 100 }, () => post(newPosting()))));
      expect(read).toBeLessThanOrEqual(30 + 100);
    });

    it('an authorization is reserved, settled and released without reading other rows of the account', async () => {
      const settled = await most(async (tx) =>
        expect((await end(tx, 'Settle')).booking?.audience).toEqual([clientId]),
      );
      expect(settled).toBeLessThanOrEqual(60);
      const released = await most((tx) => end(tx, 'Fail'));
      expect(released).toBeLessThanOrEqual(60);
    });

    it('an attachment is found, read in parts and listed by its own rows alone', async () => {
      const attachmentId = randomUUID();
      const asked = { caller, accountId, transactionId: lastTransaction, attachmentId };
      const read = await most(
        within(async (tx) => {
          const kept = (await lockTransactions(tx, [lastTransaction])).get(lastTransaction);
          expect(kept).toMatchObject({ title: 'Test', refusal: null });
          const attachment = {
            ...asked,
            id: attachmentId,
            name: 'a.pdf',
            mediaType: 'application/pdf' as const,
          };
          const content = Buffer.from('content');
          const digest = Buffer.alloc(32);
          expect(await findStored(tx, attachmentId)).toBeUndefined();
          await insertAttachment(tx, { attachment: { ...attachment, size: 7 }, digest, content });
          await replaceDetails(tx, new Map([[lastTransaction, kept!]]));
          expect(await findAttachment(tx, asked)).toMatchObject({ name: 'a.pdf', size: 7 });
          expect(await readPart(tx, asked, { offset: 3, bytes: 2 })).toEqual(Buffer.from('te'));
        }),
      );
      expect(read).toBeLessThanOrEqual(30);
    });

    it('an enrichment reads only the rows that it changes', async () => {
      const read = await most((tx) =>
        enter(tx, {
          command: 'Enrich',
          transactionId: lastTransaction,
          accountId,
          fields: ['title'],
          title: 'Test',
          message: '',
          debtor: undefined,
          creditor: undefined,
          recipientBban: '',
          additionalInformation: {},
          card: undefined,
          transactionAmount: undefined,
          exchangeRate: undefined,
        }),
      );
      expect(read).toBeLessThanOrEqual(30);
    });

    it('a repeated posting is found by its id', async () => {
      const read = await most(async (tx) => {
        const posting = newPosting();
        await enter(tx, post(posting));
        expect(await enter(tx, post(posting))).toMatchObject({ booked: { balanceAfter: 100n } });
      });
      expect(read).toBeLessThanOrEqual(60);
    });
  },
);

const ADD_ACCOUNT = `INSERT INTO account (id, user_id, position, name, type, currency, bban, balance, reserved,
    supports_payments, supports_transfers)
  SELECT id, gen_random_uuid(), 1, 'Account', 'CHECKING', 'DKK', '00400440116243', 0, 0, true, true`;

/** The account with its transactions, and the accounts and consents of many others. */
async function grow(pool: Pool): Promise<void> {
  await pool.query(`${ADD_ACCOUNT} FROM unnest($1::uuid[]) AS id`, [[accountId]]);
  await pool.query(
    `${ADD_ACCOUNT} FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $1::int)) AS other`,
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
