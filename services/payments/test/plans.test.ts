import { randomUUID } from 'node:crypto';
import { KeyedCounter } from '@kontoport/fairness';
import {
  openPlanning,
  type Planning,
  rowsRead,
  rowsReadSoFar,
  withinOne,
} from '@kontoport/testing/statement-work';
import type pg from 'pg';
import { schedulePoll } from '../src/domain/approval-request.model.ts';
import { type Draft, paymentOf } from '../src/domain/draft.model.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import { approve, endPosting } from '../src/domain/payment.model.ts';
import { runStandingOrder } from '../src/domain/standing-order.model.ts';
import { createPrisma, type Db } from '../src/gen/db.ts';
import { toDocument } from '../src/store/postgres/document.ts';
import { PostgresPaymentStore } from '../src/store/postgres/postgres-payment-store.ts';
import { initiate, keepOrder, orderOf } from './initiations.conformance.ts';
import { approveDraftsIn, draftOf, later, NOW, requestApproval, SENDER } from './store-fixtures.ts';

const CLIENTS = 200;
const OF_EACH = 10;
/** Open items that one client may have. */
const PLACES = 100;
const DAY = 86_400_000;
/** Rows that reading, deciding and writing one record may read, those of its lapsed namesake and of its basket included. */
const OF_ONE = 12;

const CROWD = 'crowd';

/** Steps that are about one record and its basket. */
const ABOUT_ONE = (
  'create, find, change, find for an approval, approve, find by payment, settle, ask, decide, initiate, ' +
  'keep a standing order, run, sweep, claim nothing'
).split(', ');

const STATISTICS = ['never taken', 'taken on empty tables', 'taken when all was there'] as const;

const within = withinOne(createPrisma);

const claim = { now: NOW, limit: 20, limitPerOrganization: 4, inFlight: new KeyedCounter(), leaseMs: 5_000 };
const keyOf = ({ clientId, draftId }: Draft) => ({ clientId, draftId, now: NOW });

/** Runs a life cycle with every step; returns how many rows each step read. */
async function live(db: Db, tell: (step: string, rows: number) => void): Promise<void> {
  const store = new PostgresPaymentStore({
    db,
    relay: { wake() {} },
    limits: { ofClient: PLACES, ofOrganization: PLACES },
    retention: { openMs: DAY, paymentMs: 400 * DAY },
  });
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = await rowsReadSoFar(db);
    const result = await work();
    tell(name, (await rowsReadSoFar(db)) - before);
    return result;
  };
  const [draft, asked] = [draftOf(randomUUID()), draftOf(randomUUID())];
  const { clientId, draftId } = draft;
  await step('create', () => store.createDraft(draft));
  await step('create', () => store.createDraft(asked));
  await step('find', () => store.findDraft(keyOf(draft)));
  const change = (found: Draft): Draft => ({ ...found, name: 'Changed', senderAccount: SENDER });
  await step('change', () => store.updateDraft({ ...keyOf(draft), change }));
  const key = { clientId, requestId: randomUUID(), draftIds: [draftId], now: NOW };
  await step('find for an approval', () => store.findBasketAndDrafts(key));
  const { paymentIds } = await step('approve', () => approveDraftsIn(store, { drafts: [draft] }));
  const owner = { clientId, now: NOW };
  const found = () => store.findBasketByPaymentId({ ...owner, paymentId: paymentIds[0]! });
  expect((await step('find by payment', found))?.paymentIds).toEqual(paymentIds);
  const [claimed] = await step('claim', () => store.claimDue(claim));
  expect(claimed).toMatchObject({ draftId });
  const { paymentId } = paymentOf(claimed!);
  const settle = (present: Draft): Draft => endPosting(present, { outcome: 'settle', paymentId, now: NOW });
  await step('settle', () => store.updateDraft({ ...keyOf(draft), change: settle }));
  expect(await step('claim nothing', () => store.claimDue(claim))).toEqual([]);
  const { approvalId } = await step('ask', () =>
    requestApproval(store, { drafts: [asked], expiresAt: later(1) }),
  );
  const decide = (present: Parameters<typeof schedulePoll>[0]) => schedulePoll(present, later(2));
  await step('decide', () => store.updateBasket({ approvalId, now: NOW, decide }));
  expect(await step('claim', () => store.claimBaskets({ ...claim, now: later(2) }))).toHaveLength(1);
  await step('initiate', () => initiate(store, { clientId, key: 'one' }));
  await step('find', () => store.findBasketByInitiationKey({ ...owner, initiationKey: 'one' }));
  const order = await step('keep a standing order', () => keepOrder(store, orderOf(clientId)));
  const now = order.dueAt!;
  const run = (due: typeof order) =>
    runStandingOrder(due, { now, aheadMs: 0, settlementDelayMs: 0, paymentId: randomUUID() });
  expect(await step('run', () => store.runStandingOrders({ now, limit: 10, run }))).toBe(1);
  await step('sweep', () => store.sweep({ now, limit: 100 }));
  const crowded = draftOf(randomUUID(), NOW, CROWD);
  await step('count a crowd', () => store.createDraft(crowded).catch(() => undefined));
}

/** Payments of others, which are due another day or settled, their baskets, and drafts of a crowd. */
async function grow(pool: pg.Pool): Promise<void> {
  const waiting = approve(
    { ...draftOf('CLIENT', NOW, 'ORGANIZATION'), draftId: 'DRAFT', senderAccount: SENDER },
    {
      rules: PAYMENT_TYPES['domestic-credit-transfer'],
      paymentId: 'PAYMENT',
      requestId: 'REQUEST',
      settlementDelayMs: DAY,
      traceparent: undefined,
      senderAccount: SENDER,
      now: NOW,
    },
  );
  await pool.query(
    `INSERT INTO draft (client_id, id, organization, created_at, due_at, lapses_at, counted, content)
     SELECT client_id, id, CASE WHEN kind = 'open' THEN $5 ELSE 'organization ' || n END, $2,
       CASE WHEN kind = 'waiting' THEN $3::timestamptz END, CASE WHEN kind <> 'waiting' THEN $4::timestamptz END,
       kind = 'open', replace(replace($1, 'CLIENT', client_id::text), 'DRAFT', id::text)::json
     FROM (SELECT n, gen_random_uuid() AS client_id FROM generate_series(1, $6::int) AS n) AS clients
     CROSS JOIN (SELECT gen_random_uuid() AS id, kind FROM generate_series(1, $7::int),
       unnest('{waiting,settled,open}'::text[]) AS kind) AS records`,
    [toDocument(waiting), NOW, later(DAY), later(400 * DAY), CROWD, CLIENTS, OF_EACH],
  );
  await pool.query(
    `WITH fresh AS (
       INSERT INTO basket (client_id, id, organization, created_at, due_at, lapses_at, counted, content, initiation_key)
       SELECT client_id, id, organization, created_at, due_at, lapses_at, false,
         json_build_object('approvalId', gen_random_uuid()), id::text
       FROM draft WHERE NOT counted RETURNING client_id, id
     )
     INSERT INTO basket_payment (payment_id, client_id, basket_id) SELECT gen_random_uuid(), client_id, id FROM fresh`,
  );
  await pool.query(
    `INSERT INTO standing_order (client_id, id, organization, created_at, due_at, counted, content)
     SELECT client_id, id, organization, created_at, due_at + interval '30 days', true, '{}' FROM draft WHERE due_at IS NOT NULL`,
  );
}

describe.each(STATISTICS)('no statement reads the records of others, statistics %s (§8)', (analyzed) => {
  let planning: Planning;
  const most = new Map<string, number>();
  beforeAll(async () => {
    planning = await openPlanning('payments');
    const { pool, connections } = planning;
    if (analyzed === 'taken on empty tables') await pool.query('ANALYZE');
    await rowsRead(
      connections[1],
      within((db) => live(db, () => {})),
    );
    await grow(pool);
    if (analyzed === 'taken when all was there') await pool.query('ANALYZE');
    for (const connection of connections)
      await rowsRead(
        connection,
        within((db) => live(db, (step, rows) => most.set(step, Math.max(rows, most.get(step) ?? 0)))),
      );
  });
  afterAll(() => planning.close());

  it.each(ABOUT_ONE)('%s reads only its rows', (step) => {
    expect(most.get(step)).toBeLessThanOrEqual(OF_ONE);
  });

  it('a claim reads one record of each organization with waiting ones', () => {
    expect(most.get('claim')).toBeLessThanOrEqual(2 * (CLIENTS + OF_ONE));
  });

  it('open items are counted up to the quota', () => {
    expect(most.get('count a crowd')).toBeLessThanOrEqual(2 * (PLACES + 1));
  });
});
