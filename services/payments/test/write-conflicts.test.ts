import { randomUUID } from 'node:crypto';
import { until } from '@kontoport/embedded/wait';
import type pg from 'pg';
import { completeApproval } from '../src/domain/approval-request.model.ts';
import type { BasketState } from '../src/domain/basket-state.model.ts';
import type { Draft } from '../src/domain/draft.model.ts';
import { runStandingOrder, type StandingOrder } from '../src/domain/standing-order.model.ts';
import type { Db } from '../src/gen/db.ts';
import type { PostgresPaymentStore } from '../src/store/postgres/postgres-payment-store.ts';
import { initiate, keepOrder, orderOf } from './initiations.conformance.ts';
import { DAY, openStored, type Stored } from './postgres-store.ts';
import { approveDraftsIn, draftOf, DUE, later, NOW, requestApproval } from './store-fixtures.ts';

let stored: Stored;
beforeAll(async () => {
  stored = await openStored();
});
afterAll(() => stored.close());

const keyOf = ({ clientId, draftId }: Draft, now = NOW) => ({ clientId, draftId, now });

/** The connections that wait for a lock. */
const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** The events in the outbox, in order. */
async function told(): Promise<[string, string][]> {
  const { rows } = await stored.db.pool.query<{ type: string; status: string }>(
    `SELECT headers ->> 'ce_type' AS type, value::json ->> 'status' AS status FROM outbox WHERE topic <> 'kontoport.audit.v1' ORDER BY id`,
  );
  return rows.map(({ type, status }) => [type, status]);
}

/** A store of a process that another one overtakes once: after it has sent an SQL statement of this name, or read by Prisma. */
function conflictAfter(name: string, overtake: () => Promise<unknown>): PostgresPaymentStore {
  const { pool, prisma } = stored.db;
  let times = 0;
  const after = async (read: string): Promise<void> => {
    if (read === name && times++ === 0) await overtake();
  };
  const query = async (statement: pg.QueryConfig): Promise<unknown> => {
    const result = await pool.query(statement);
    await after(statement.name!);
    return result;
  };
  const extended = prisma.$extends({
    query: {
      $allModels: {
        async findMany({ model, args, query: read }) {
          const rows = await read(args);
          await after(model);
          return rows;
        },
      },
    },
  });
  const proxy = new Proxy(pool, {
    get: (target, property) =>
      property === 'query' ? query : (Reflect.get(target, property, target) as unknown),
  });
  return stored.replica({ db: { pool: proxy, prisma: extended as unknown as Db['prisma'] } });
}

describe('in PostgreSQL decisions about a record take turns (ADR-0026)', () => {
  const named =
    (mark: string) =>
    (found: Draft): Draft => ({ ...found, name: found.name + mark });

  it('releases the reservation of a repeated attempt', async () => {
    await stored.empty();
    const store = stored.replica({ limits: { ofClient: 2, ofOrganization: 2 } });
    const clientId = randomUUID();
    const draft = draftOf(clientId);
    await store.createDraft(draft);
    for (let i = 0; i < 3; i++) expect(await store.createDraft(draft)).toBe('taken');
    expect(await store.createDraft(draftOf(clientId))).toBe('created');
    expect(await store.createDraft(draft)).toBe('taken');
    await expect(store.createDraft(draftOf(clientId))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('claims no payment and runs no standing order of another process', async () => {
    const other = await stored.empty();
    const draft = draftOf(randomUUID());
    await other.createDraft(draft);
    await approveDraftsIn(other, { drafts: [draft] });
    const claim = { ...DUE, now: NOW };
    const claiming = conflictAfter('draft-find-due', () => other.claimDue(claim));
    expect(await claiming.claimDue(claim)).toEqual([]);
    expect((await other.findDraft(keyOf(draft)))?.payment?.attempts).toBe(1);

    const order = await keepOrder(other, orderOf(randomUUID()));
    const now = order.dueAt!;
    const claimRuns = {
      now,
      limit: 10,
      run: (found: StandingOrder) =>
        runStandingOrder(found, { now, aheadMs: 0, settlementDelayMs: 0, paymentId: randomUUID() }),
    };
    const running = conflictAfter('StandingOrder', () => other.runStandingOrders(claimRuns));
    expect(await running.runStandingOrders(claimRuns)).toBe(0);
    const { rows } = await stored.db.pool.query(`SELECT FROM draft WHERE client_id = $1`, [order.clientId]);
    expect(rows).toHaveLength(1);
  });

  it('continues with the next standing order after a deadlock, and runs the first one later', async () => {
    const store = await stored.empty();
    const orders = [orderOf(randomUUID()), orderOf(randomUUID())];
    for (const order of orders) await keepOrder(store, order);
    const now = orders[0]!.dueAt!;
    const run = (found: StandingOrder) =>
      runStandingOrder(found, { now, aheadMs: 0, settlementDelayMs: 0, paymentId: randomUUID() });
    const other = await stored.db.pool.connect();
    let running: Promise<number>;
    try {
      await other.query('BEGIN');
      await other.query('LOCK TABLE draft IN SHARE MODE');
      running = store.runStandingOrders({ now, limit: 10, run });
      await until(async () => (await stored.db.pool.query(WAITING)).rowCount === 1, {
        what: 'the run to wait',
      });
      // It holds the standing order and waits for the table; this waits for the standing order, until PostgreSQL ends the run.
      await other.query('SELECT FROM standing_order FOR UPDATE');
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
    expect(await running).toBe(1);
    expect(await store.runStandingOrders({ now, limit: 10, run })).toBe(1);
    expect(await told()).toHaveLength(2);
  });

  type Prepare = (store: PostgresPaymentStore, drafts: readonly Draft[]) => Promise<() => Promise<unknown>>;
  it.each<[string, Prepare]>([
    [
      'of one that changes',
      async (store, [one]) =>
        () =>
          store.updateDraft({ ...keyOf(one!), change: named('!') }),
    ],
    ['of several that are approved', async (store, drafts) => () => approveDraftsIn(store, { drafts })],
    [
      'about their basket',
      async (store, drafts) => {
        const { approvalId } = await requestApproval(store, { drafts, expiresAt: later(1_000) });
        const decide = (found: BasketState): BasketState => ({
          ...found,
          drafts: found.drafts.map(named('!')),
        });
        return () => store.updateBasket({ approvalId, now: NOW, decide });
      },
    ],
  ])('waits for a concurrent write, and decides by its result: %s', async (_what, prepare) => {
    const store = await stored.empty();
    const clientId = randomUUID();
    const drafts = [draftOf(clientId), draftOf(clientId)];
    for (const draft of drafts) await store.createDraft(draft);
    const draftIds = drafts.map(({ draftId }) => draftId);
    const read = () => store.findDrafts({ clientId, draftIds, now: NOW });
    const decide = await prepare(store, drafts);
    const writer = await stored.db.pool.connect();
    let decided: Promise<unknown>;
    try {
      await writer.query('BEGIN');
      await writer.query(`UPDATE draft SET content = replace(content::text, '"Rent"', '"Other"')::json`);
      decided = decide();
      await until(async () => (await stored.db.pool.query(WAITING)).rowCount === 1, {
        what: 'the decision to wait',
      });
    } finally {
      await writer.query('COMMIT');
      writer.release();
    }
    await decided;
    expect((await read()).map(({ name }) => name.slice(0, 5))).toEqual(['Other', 'Other']);
    expect(await told()).toHaveLength((await read()).filter(({ status }) => status !== 'CREATED').length);
  });

  it('gives one of two concurrent twins the basket of the other', async () => {
    const store = await stored.empty();
    const draft = draftOf(randomUUID());
    await store.createDraft(draft);
    const requestId = randomUUID();
    const twins = [1, 2].map(() => approveDraftsIn(store, { drafts: [draft], requestId }));
    const [first, second] = await Promise.all(twins);
    expect(second).toEqual(first);
    expect(await told()).toHaveLength(1);
  });

  it('skips rows that another process has locked', async () => {
    const store = await stored.empty();
    const [one, two] = [draftOf(randomUUID()), draftOf(randomUUID())];
    for (const draft of [one, two]) {
      await store.createDraft(draft);
      await approveDraftsIn(store, { drafts: [draft] });
    }
    const holder = await stored.db.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM draft WHERE id = $1 FOR UPDATE', [one.draftId]);
      const claimed = await store.claimDue({ ...DUE, now: NOW });
      expect(claimed.map(({ draftId }) => draftId)).toEqual([two.draftId]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(await store.claimDue({ ...DUE, now: NOW })).toHaveLength(1);
  });
});

describe('in PostgreSQL an X-Request-Id makes one payment (§4.5)', () => {
  it('refuses the second of two concurrent requests', async () => {
    const store = await stored.empty();
    const clientId = randomUUID();
    const first = await initiate(store, { clientId, key: 'one' });
    expect(await initiate(store, { clientId, key: 'one' })).toEqual(first);
    expect(await initiate(store, { clientId: randomUUID(), key: 'one' })).not.toEqual(first);
    expect(await told()).toHaveLength(2);
  });

  it('is free once its basket has expired, also before the sweep', async () => {
    const store = await stored.empty();
    const clientId = randomUUID();
    const draft = draftOf(clientId);
    await store.createDraft(draft);
    const initiatedBy = { key: 'one', digest: 'digest' };
    const asked = await requestApproval(store, { drafts: [draft], expiresAt: later(1_000), initiatedBy });
    const { approvalId } = asked;
    await store.updateBasket({
      approvalId,
      now: NOW,
      decide: (found) => completeApproval(found, { outcome: 'declined' }, NOW),
    });
    const soon = later(DAY / 2);
    expect(await initiate(store, { clientId, key: 'one', now: soon })).toEqual(
      await store.findBasketByApprovalId({ approvalId, now: soon }),
    );
    const brief = stored.replica({ retention: { openMs: DAY / 4, paymentMs: DAY / 4 } });
    await brief.updateBasket({
      approvalId,
      now: NOW,
      decide: (found) => ({ ...found, basket: { ...found.basket } }),
    });
    const next = await initiate(brief, { clientId, key: 'one', now: soon });
    expect(next?.approvalId).not.toBe(approvalId);
    expect(await brief.findBasketByInitiationKey({ clientId, initiationKey: 'one', now: soon })).toEqual(
      next,
    );
  });

  it('also with a version of the service that does not write the column', async () => {
    const store = await stored.empty();
    const [clientId, pattern] = [randomUUID(), randomUUID()];
    await initiate(store, { clientId: pattern, key: 'one' });
    /** Writes a basket as a release without the column does. */
    const write = (requestId: string, at: Date) =>
      stored.db.pool.query(
        `INSERT INTO basket (client_id, id, consent_id, organization, created_at, due_at, lapses_at, counted, content)
         SELECT $1::uuid, $2::uuid, consent_id, organization, $3, due_at, lapses_at, counted, replace(replace(
           content::text, client_id::text, $1::uuid::text), id::text, $2::uuid::text)::jsonb
             || jsonb_build_object('approvalId', $2::uuid::text, 'createdAt', jsonb_build_object('$instant', $4::text))
         FROM basket WHERE client_id = $5`,
        [clientId, requestId, at, at.toISOString(), pattern],
      );
    const taken = { constraint: 'basket_initiation_key' };
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    await write(first, NOW);
    expect((await initiate(store, { clientId, key: 'one' }))?.requestId).toBe(first);
    await expect(write(second, later(DAY - 1))).rejects.toMatchObject(taken);
    await write(second, later(DAY));
    const now = later(DAY + 2);
    expect((await initiate(store, { clientId, key: 'one', now }))?.requestId).toBe(second);
    await stored.db.pool.query('UPDATE basket SET lapses_at = $1 WHERE id = $2', [now, second]);
    await expect(write(third, later(DAY + 1))).rejects.toMatchObject(taken);
    await write(third, now);
    expect((await initiate(store, { clientId, key: 'one', now }))?.requestId).toBe(third);
  });
});
