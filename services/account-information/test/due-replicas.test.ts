import { randomUUID } from 'node:crypto';
import { openDb } from '@kontoport/database';
import { type Broker, startEmbeddedKafka } from '@kontoport/embedded/embedded-kafka';
import { freePort } from '@kontoport/embedded/port';
import { until } from '@kontoport/embedded/wait';
import { topics } from '@kontoport/events';
import { createLogger } from '@kontoport/lifecycle';
import { startFakePeers } from '@kontoport/testing/fake-peers';
import { testDatabase } from '@kontoport/testing/postgres';
import { startServiceProcess } from '@kontoport/testing/service-process';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { Ledger } from '../src/ledger/ledger.ts';
import type { LedgerEntry } from '../src/ledger/posting.model.ts';
import { settleDue } from '../src/sandbox/settle-due.ts';
import { addAccounts, books } from './ingesting.ts';
import { ownEnv } from './running.ts';
import { readTopic, type TopicReader } from './topic-reader.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

let peers: Awaited<ReturnType<typeof startFakePeers>>;
let database: Awaited<ReturnType<typeof testDatabase>>;
let broker: Broker;
let db: Db;
let pool: Db['pool'];
let topic: TopicReader;
beforeAll(async () => {
  [peers, database] = [await startFakePeers(), await testDatabase('account-information')];
  broker = await startEmbeddedKafka(Object.values(topics));
  db = openDb({ url: database.url, max: 16, applicationName: 'test', prisma: createPrisma });
  pool = db.pool;
  topic = await readTopic(broker.brokers);
});
afterAll(async () => {
  await topic.close();
  await db.close();
  await broker.stop();
  await database.drop();
  await peers.close();
});

/** The ledger of a replica; the relay of another one publishes. */
function openLedger(): Ledger {
  return new Ledger({ db, relay: { wake: () => {} } });
}

/** Pending transactions of 1.00 of an account that are due; every other one is to fail. */
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

/** What the transactions have become, and how often anybody was told. */
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
  it('gives each transaction to one of them, once; what one has in hand the other leaves to it', async () => {
    const [accountId] = (await addAccounts(pool, 1)) as [string];
    const ids = await due(accountId, 30);
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
    await until(() => slow.entered.length > 0, { what: 'the first replica to have some in hand' });
    const inHand = [...slow.entered];
    quick.loop.start();
    await until(async () => (await waiting()).length === inHand.length, {
      what: 'the second to do the rest',
    });
    expect((await waiting()).map(({ id }) => id).toSorted()).toEqual(inHand.toSorted());
    expect((await waiting()).every(({ claimed }) => claimed)).toBe(true);
    release();
    await until(async () => (await waiting()).length === 0, { what: 'an empty list' });
    await Promise.all([slow.loop.close(), quick.loop.close()]);
    const entered = [...slow.entered, ...quick.entered];
    expect(entered.toSorted()).toEqual([...ids.settling, ...ids.failing].toSorted());
    expect(slow.entered).toEqual(inHand);
    await expectEnded(accountId, ids);
    await pool.query('DELETE FROM outbox');
  });

  it('loses nothing that one of them had in hand when it was killed, and does nothing twice', async () => {
    const [accountId] = (await addAccounts(pool, 1)) as [string];
    const ids = await due(accountId, 12);
    const env = {
      ...peers.env,
      ...ownEnv({ databaseUrl: database.url, brokers: broker.brokers }),
      GRPC_PORT: String(await freePort()),
      OPS_PORT: String(await freePort()),
    };
    // The account is locked: what is claimed cannot end.
    const lock = await pool.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [accountId]);
    const first = startServiceProcess({ service: 'account-information', env });
    await until(async () => (await waiting()).some(({ claimed }) => claimed), {
      what: 'a claim',
    });
    expect(await first.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
    await lock.query('COMMIT');
    lock.release();
    expect(await waiting()).toHaveLength(12);
    expect(await books(pool, [accountId])).toEqual([{ balance: 100_000, reserved: 1_200, transactions: 12 }]);

    // The claims of the dead run out.
    await pool.query(`UPDATE sandbox_due SET claimed_until = now() - interval '1 second'`);
    const second = startServiceProcess({ service: 'account-information', env });
    await until(async () => (await waiting()).length === 0, { what: 'an empty list' });
    await until(async () => (await pool.query('SELECT FROM outbox LIMIT 1')).rowCount === 0, {
      what: 'an empty outbox',
    });
    await expectEnded(accountId, ids);
    for (const id of ids.settling) await topic.find(id);
    expect(await second.kill()).toEqual({ code: 0, signal: null });
    const told = new Map(topic.events.map(({ value }) => [value.eventId, value.ledgerPostingId]));
    expect([...told.values()].toSorted()).toEqual(ids.settling.toSorted());
  }, 120_000);
});
