import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { KeyedCounter } from '@kontoport/fairness';
import { createLogger } from '@kontoport/lifecycle';
import { type Draft, updateFields } from '../src/domain/draft.model.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import type { PaymentStore } from '../src/domain/ports/payment-store.ts';
import { settlePayments } from '../src/workers/settle-payments.ts';
import { openStored, type Stored } from './postgres-store.ts';
import { TRANSFER } from './running-payments.ts';
import { bankIn, BOOKS, DEATH_POINTS } from './settlement-bank.ts';
import { approveDraftsIn, draftOf, later, NOW, SENDER } from './store-fixtures.ts';

const WORKER = join(import.meta.dirname, 'settlement-process.ts');
const rules = PAYMENT_TYPES['domestic-credit-transfer'];
const logger = createLogger({ service: 'test', level: 'silent' });

let stored: Stored;
beforeAll(async () => {
  stored = await openStored();
  await stored.db.pool.query(BOOKS);
});
beforeEach(() => stored.db.pool.query('TRUNCATE books'));
afterAll(() => stored.close());

/** Approves so many valid drafts, each of an organization of its own or of the one that is given. */
async function approved(store: PaymentStore, count: number, organization?: string): Promise<Draft[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const plain = draftOf(randomUUID(), NOW, organization);
      const { accountId: senderAccountId } = SENDER;
      const fields = { ...TRANSFER, senderAccountId };
      const draft = updateFields(plain, { rules, fields, senderAccount: SENDER, now: NOW });
      await store.createDraft(draft);
      await approveDraftsIn(store, { drafts: [draft] });
      return draft;
    }),
  );
}

const statusesOf = async (store: PaymentStore, drafts: readonly Draft[]): Promise<KeyedCounter> => {
  const statuses = new KeyedCounter();
  for (const { clientId, draftId } of drafts)
    statuses.add((await store.findDraft({ clientId, draftId, now: NOW }))!.status, 1);
  return statuses;
};

/** What the outbox has of each payment, and the bank's books. */
async function outcome() {
  const { rows: events } = await stored.db.pool.query<{ told: string; times: number }>(
    `SELECT value::json ->> 'status' AS told, count(*)::int AS times FROM outbox WHERE topic <> 'kontoport.audit.v1' GROUP BY 1 ORDER BY 1`,
  );
  const { rows: books } = await stored.db.pool.query<{ booked: number }>(
    'SELECT count(*)::int AS booked FROM books',
  );
  return { events, booked: books[0]!.booked };
}

describe('several processes over one database (§3.2)', () => {
  it('take each payment that is due once, whatever they do at the same time', async () => {
    const store = await stored.empty();
    const drafts = (
      await Promise.all(['one', 'two', 'three'].map((name) => approved(store, 20, name)))
    ).flat();
    const claim = {
      now: later(1),
      limit: 7,
      limitPerOrganization: 7,
      inFlight: new KeyedCounter(),
      leaseMs: 60_000,
    };
    const taken: string[] = [];
    await Promise.all(
      [store, stored.replica(), stored.replica()].map(async (replica) => {
        // What another holds at the moment is passed by: only who is alone and finds nothing knows that nothing is left.
        while (taken.length < drafts.length)
          taken.push(...(await replica.claimDue(claim)).map(({ draftId }) => draftId));
      }),
    );
    expect(taken.toSorted()).toEqual(drafts.map(({ draftId }) => draftId).toSorted());
    expect(await store.claimDue(claim)).toEqual([]);
  });
});

describe('kill -9 of a process that settles (§3.2)', () => {
  it.each(DEATH_POINTS)('%s: nothing is lost, and nothing booked or told twice', async (point) => {
    const store = await stored.empty();
    const drafts = await approved(store, 3);
    const dying = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', WORKER, stored.url, point],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    expect(await once(dying, 'exit')).toEqual([null, 'SIGKILL']);

    // The claims of the dead run out at once where its clock, not ours, is what they count from.
    const loop = settlePayments({
      store: {
        claimDue: (claim: Parameters<PaymentStore['claimDue']>[0]) =>
          store.claimDue({ ...claim, now: new Date(Date.now() + 60_000) }),
        updateDraft: store.updateDraft.bind(store),
      } as PaymentStore,
      paymentTypes: PAYMENT_TYPES,
      bank: bankIn(stored.db),
      logger,
    });
    loop.start();
    await until(async () => (await statusesOf(store, drafts)).of('COMPLETED') === 3, {
      what: 'all to be settled',
    });
    await loop.close();
    expect(await outcome()).toEqual({
      events: [
        { told: 'COMPLETED', times: 3 },
        { told: 'PENDING', times: 3 },
      ],
      booked: 3,
    });
  });
});

describe('a database that goes away and comes back (§7)', () => {
  it('loses no payment, and none is booked or told twice, without a restart', async () => {
    const store = await stored.empty();
    const drafts = await approved(store, 40);
    const own = stored.replica();
    const loop = settlePayments({
      store: own,
      paymentTypes: PAYMENT_TYPES,
      bank: bankIn(stored.db),
      leaseMs: 2_000,
      logger,
    });
    loop.start();
    // Our own connections are cut, too.
    const booked = () =>
      stored.db.pool.query('SELECT FROM books').then(
        ({ rowCount }) => rowCount!,
        () => -1,
      );
    for (let outage = 0; outage < 3; outage++) {
      await until(async () => (await booked()) > outage * 5, { what: 'some to be booked' });
      await stored.cutConnections();
    }
    await until(
      async () => (await statusesOf(store, drafts).catch(() => new KeyedCounter())).of('COMPLETED') === 40,
      { what: 'all to be settled' },
    );
    await loop.close();
    expect(await outcome()).toEqual({
      events: [
        { told: 'COMPLETED', times: 40 },
        { told: 'PENDING', times: 40 },
      ],
      booked: 40,
    });
  });
});
