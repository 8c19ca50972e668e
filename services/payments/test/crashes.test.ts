import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '@kontoport/embedded/wait';
import { type Draft, updateFields } from '../src/domain/draft.model.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import type { PaymentStore } from '../src/domain/ports/payment-store.ts';
import { followApprovals } from '../src/workers/follow-approvals.ts';
import { settlePayments } from '../src/workers/settle-payments.ts';
import { ANSWERS, crashDeps, type Death, type DyingTask, work } from './crash-tasks.ts';
import { keepOrder, orderOf } from './initiations.conformance.ts';
import { openStored, type Stored } from './postgres-store.ts';
import { TRANSFER } from './running-payments.ts';
import { approveDraftsIn, draftOf, requestApproval, SENDER } from './store-fixtures.ts';

const WORKER = join(import.meta.dirname, 'crash-process.ts');

let stored: Stored;
beforeAll(async () => {
  stored = await openStored();
  await stored.db.pool.query(ANSWERS);
});
beforeEach(() => stored.db.pool.query('TRUNCATE answers, submitted'));
afterAll(() => stored.close());

/** Runs the task in a process that is killed meanwhile. */
async function dieAt(death: Death, task: DyingTask): Promise<void> {
  const args = ['--disable-warning=ExperimentalWarning', WORKER, stored.url];
  const dying = spawn(process.execPath, [...args, JSON.stringify(task), JSON.stringify(death)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  expect(await once(dying, 'exit')).toEqual([null, 'SIGKILL']);
}

/** The events of each payment in the outbox, by its id. */
async function told(): Promise<Map<string, string[]>> {
  const { rows } = await stored.db.pool.query<{ id: string; told: string[] }>(
    `SELECT value::json ->> 'paymentId' AS id, array_agg(value::json ->> 'status' ORDER BY outbox.id) AS told
     FROM outbox WHERE topic <> 'kontoport.audit.v1' GROUP BY 1`,
  );
  return new Map(rows.map(({ id, told: statuses }) => [id, statuses]));
}

/** A store whose claims ignore the leases of the dead process. */
function afterLeases(store: PaymentStore): PaymentStore {
  const later = () => new Date(Date.now() + 60_000);
  const claims: Partial<PaymentStore> = {
    claimBaskets: (claim) => store.claimBaskets({ ...claim, now: later() }),
    claimDue: (claim) => store.claimDue({ ...claim, now: later() }),
  };
  return new Proxy(store, {
    get: (target, name: keyof PaymentStore) => claims[name] ?? (target[name] as () => unknown).bind(target),
  });
}

/** Valid drafts of one client. */
async function keepDrafts(store: PaymentStore, count: number): Promise<Draft[]> {
  const [clientId, now] = [randomUUID(), new Date()];
  const rules = PAYMENT_TYPES['domestic-credit-transfer'];
  const fields = { ...TRANSFER, senderAccountId: SENDER.accountId };
  const drafts = Array.from({ length: count }, () =>
    updateFields(draftOf(clientId, now), { rules, fields, senderAccount: SENDER, now }),
  );
  for (const draft of drafts) await store.createDraft(draft);
  return drafts;
}

describe('kill -9 while the runs of standing orders are made (§4.5)', () => {
  it.each([
    { commit: 1, when: 'before commit' },
    { commit: 2, when: 'before commit' },
    { commit: 2, when: 'after commit' },
    { commit: 3, when: 'after commit' },
  ] as const)('$when of $commit of 3: each has run once, and goes on with the next', async (death) => {
    const store = await stored.empty();
    const orders = [0, 1, 2].map(() => orderOf(randomUUID()));
    for (const order of orders) await keepOrder(store, order);
    const at = orders[0]!.dueAt!.toISOString();
    await dieAt(death, { does: 'run', at });
    await work(crashDeps(store, stored.db), { does: 'run', at });

    const events = await told();
    for (const { clientId, paymentId, next } of orders) {
      const now = new Date(at);
      const order = (await store.findStandingOrder({ clientId, paymentId, now }))!;
      expect(order.lastRun?.executionDate).toBe(next!.executionDate);
      expect(order.next!.executionDate > next!.executionDate).toBe(true);
      const run = await store.findDraft({ clientId, draftId: order.lastRun!.paymentId, now });
      expect(run).toMatchObject({ kind: 'run', status: 'PENDING' });
      expect(events.get(order.lastRun!.paymentId)).toEqual(['PENDING']);
    }
    expect(events.size).toBe(3);
    const { rows } = await stored.db.pool.query('SELECT count(*)::int AS runs FROM draft');
    expect(rows).toEqual([{ runs: 3 }]);
  });
});

describe('kill -9 while an approval is written (§3.2, §4.4)', () => {
  it.each(['before commit', 'after commit'] as const)(
    '%s of the basket: the same request makes it once, with all of its payments',
    async (when) => {
      const store = await stored.empty();
      const drafts = await keepDrafts(store, 3);
      const { clientId } = drafts[0]!;
      const [draftIds, requestId] = [drafts.map(({ draftId }) => draftId), randomUUID()];
      const task = { does: 'approve', clientId, draftIds, requestId } as const;
      await dieAt({ commit: 1, when }, task);
      const now = new Date();
      const survived = await store.findBasket({ clientId, requestId, now });
      expect(survived === undefined).toBe(when === 'before commit');
      expect((await told()).size).toBe(when === 'before commit' ? 0 : 3);
      await work(crashDeps(store, stored.db), task);

      const basket = (await store.findBasket({ clientId, requestId, now }))!;
      expect(basket).toEqual(survived ?? basket);
      const approved = await store.findDrafts({ clientId, draftIds, now });
      expect(approved.map(({ status }) => status)).toEqual(['PENDING', 'PENDING', 'PENDING']);
      expect(approved.map(({ payment }) => payment!.paymentId).toSorted()).toEqual(
        basket.paymentIds.toSorted(),
      );
      expect(await told()).toEqual(new Map(basket.paymentIds.map((paymentId) => [paymentId, ['PENDING']])));
    },
  );

  it.each([
    ['before the yes is kept', { commit: 1, when: 'before commit' }],
    ['after the yes is kept', { commit: 1, when: 'after commit' }],
    ['after the bank has said yes', { when: 'after answer' }],
    ['before the outcome is kept', { commit: 2, when: 'before commit' }],
    ['after the outcome is kept', { commit: 2, when: 'after commit' }],
  ] as const)('%s: it is approved once, and told once', async (_when, death) => {
    const store = await stored.empty();
    const drafts = await keepDrafts(store, 2);
    const now = new Date();
    const expiresAt = new Date(now.getTime() + 3_600_000);
    const { approvalId, clientId, draftIds, paymentIds } = await requestApproval(store, {
      drafts,
      now,
      expiresAt,
    });
    const task = { does: 'decide', approvalId, userId: '9a5b3c7d-1e2f-4a60-8b9c-0d1e2f3a4b55' } as const;
    await dieAt(death, task);

    const deps = crashDeps(store, stored.db);
    // The user saw no answer and approves again. A living process takes over the work of the dead one.
    await work(deps, task);
    const loop = followApprovals({ ...deps, store: afterLeases(store) });
    loop.start();
    const find = () => store.findBasketByApprovalId({ approvalId, now: new Date() });
    await until(async () => (await find())?.status === 'APPROVED', { what: 'the approval' });
    await loop.close();

    const approved = await store.findDrafts({ clientId, draftIds, now: new Date() });
    expect(approved.map(({ status }) => status)).toEqual(['PENDING', 'PENDING']);
    expect(approved.map(({ payment }) => payment!.paymentId).toSorted()).toEqual(paymentIds.toSorted());
    expect(await told()).toEqual(
      new Map(paymentIds.map((paymentId) => [paymentId, ['AWAITING_APPROVAL', 'PENDING']])),
    );
    const { rows } = await stored.db.pool.query('SELECT DISTINCT approval_id, digest FROM answers');
    expect(rows).toEqual([{ approval_id: approvalId, digest: expect.any(String) as string }]);
  });
});

describe('kill -9 while payments settle (§3.2)', () => {
  it.each([
    ['after the bank has booked', { when: 'after answer' }],
    ['before the first outcome is stored', { commit: 1, when: 'before commit' }],
    ['after the first outcome is stored', { commit: 1, when: 'after commit' }],
    ['before the last outcome is stored', { commit: 3, when: 'before commit' }],
  ] as const)('%s: each payment settles, with one event', async (_when, death) => {
    const store = await stored.empty();
    const drafts = await keepDrafts(store, 3);
    const { clientId, draftIds, paymentIds } = await approveDraftsIn(store, { drafts, now: new Date() });
    await dieAt(death, { does: 'settle' });

    const loop = settlePayments(crashDeps(afterLeases(store), stored.db));
    loop.start();
    const find = () => store.findDrafts({ clientId, draftIds, now: new Date() });
    await until(async () => (await find()).every(({ status }) => status === 'COMPLETED'), {
      what: 'the settlement',
    });
    await loop.close();
    expect(await told()).toEqual(
      new Map(paymentIds.map((paymentId) => [paymentId, ['PENDING', 'COMPLETED']])),
    );
    const { rows } = await stored.db.pool.query('SELECT DISTINCT payment_id FROM submitted ORDER BY 1');
    expect(rows.map(({ payment_id }) => payment_id as string)).toEqual(paymentIds.toSorted());
  });
});
