import { randomUUID } from 'node:crypto';
import type { Basket } from '../src/domain/basket.model.ts';
import { type Draft } from '../src/domain/draft.model.ts';
import { approve, cancelPayment } from '../src/domain/payment.model.ts';
import type { PaymentStore } from '../src/domain/ports/payment-store.ts';
import {
  activate,
  deleteStandingOrder,
  runStandingOrder,
  type StandingOrder,
} from '../src/domain/standing-order.model.ts';
import { MAX_STANDING_ORDERS } from '../src/store/limits.ts';
import { approveDraftsIn, draftOf, DUE, later, NOW, SENDER } from './store-fixtures.ts';

const DAY = 86_400_000;

/** A basket that approves what was initiated. */
function basketOf(
  made: Pick<Basket, 'clientId' | 'organizationIdentifier' | 'consentId' | 'initiatedBy'>,
  { paymentId, draftIds }: { paymentId: string; draftIds: string[] },
): Basket {
  return {
    ...made,
    requestId: paymentId,
    draftIds,
    paymentIds: [paymentId],
    redirectUrl: 'https://tpp.test/callback',
    status: 'APPROVED',
    approvalId: randomUUID(),
    createdAt: NOW,
  };
}

async function keepDraft(store: PaymentStore, draft: Draft): Promise<Draft> {
  expect(await store.createDraft(draft)).toBe('created');
  return draft;
}

/** Initiates a single payment that is due at once, or after `dueInMs`. */
export async function initiate(
  store: PaymentStore,
  given: {
    clientId: string;
    consentId?: string;
    key?: string;
  } & { now?: Date; dueInMs?: number },
): Promise<Basket | undefined> {
  const { key, now = NOW, dueInMs = 0, ...owner } = given;
  const paymentId = randomUUID();
  const made = { ...owner, organizationIdentifier: `PSDDK-DFSA-${owner.clientId}` };
  const draft: Draft = {
    ...draftOf(owner.clientId, now),
    ...made,
    kind: 'single',
    draftId: paymentId,
    initiation: { redirectUrl: 'https://tpp.test/callback', message: 'Rent', executionDate: '2026-11-20' },
  };
  const initiatedBy = { digest: 'digest', ...(key === undefined ? {} : { key }) };
  const basket = {
    ...basketOf({ ...made, initiatedBy }, { paymentId, draftIds: [paymentId] }),
    createdAt: now,
  };
  const approval = { requestId: paymentId, now, settlementDelayMs: dueInMs, traceparent: undefined };
  return store.createBasket({
    ...made,
    requestId: paymentId,
    initiationKey: key,
    draftIds: [paymentId],
    now,
    decide: () => ({
      basket,
      drafts: [approve(draft, { ...approval, rules: RULES, paymentId, senderAccount: SENDER })],
    }),
  });
}

const RULES = {
  onApproval: 'settle-at-once',
  onDeletion: 'draft-again',
  validate: () => ({ errors: [], warnings: [] }),
  posting: () => ({
    type: '',
    title: '',
    amount: { minorUnits: 1n, currency: 'DKK' },
    creditor: { name: '' },
  }),
} as const;

/** A standing order of a client, ACTIVE: each day, its first run on Monday 2026-11-23. */
export function orderOf(clientId: string, more: Partial<StandingOrder> = {}): StandingOrder {
  return activate(
    {
      clientId,
      organizationIdentifier: `PSDDK-DFSA-${clientId}`,
      paymentId: randomUUID(),
      paymentType: 'domestic-credit-transfer',
      name: 'Rent',
      fields: { senderAccountId: SENDER.accountId },
      senderAccount: SENDER,
      validationWarnings: [],
      redirectUrl: 'https://tpp.test/callback',
      message: 'Rent',
      schedule: { startDate: '2026-11-23', frequency: 'Daily', executionRule: 'following' },
      status: 'ACTIVE',
      createdAt: NOW,
      updatedAt: NOW,
      ...more,
    },
    { now: more.createdAt ?? NOW, aheadMs: 0 },
  );
}

const FIRST_RUN = new Date('2026-11-22T23:00:00Z');
const SECOND_RUN = new Date('2026-11-23T23:00:00Z');

/** Stores a standing order with the basket that approved it. */
export async function keepOrder(store: PaymentStore, standingOrder: StandingOrder): Promise<StandingOrder> {
  const { paymentId, clientId, organizationIdentifier, createdAt: now } = standingOrder;
  const basket = basketOf(standingOrder, { paymentId, draftIds: [] });
  const approval = { clientId, organizationIdentifier, requestId: paymentId, draftIds: [], now };
  expect(
    await store.createBasket({ ...approval, decide: () => ({ basket, drafts: [], standingOrder }) }),
  ).toEqual(basket);
  return standingOrder;
}

/** The behaviour of every payment store for payments that were not staged. */
export function describeInitiations(name: string, open: () => Promise<PaymentStore>): void {
  let store: PaymentStore;
  let clientId: string;
  beforeEach(async () => {
    store = await open();
    clientId = randomUUID();
  });

  describe(`${name}: a payment leads to the basket that made it (§4.5)`, () => {
    it('finds the basket of a payment, also of one that was cancelled, for its owner alone', async () => {
      const consentId = randomUUID();
      const drafts = [
        await keepDraft(store, { ...draftOf(clientId), consentId }),
        await keepDraft(store, draftOf(clientId)),
      ];
      const basket = await approveDraftsIn(store, { drafts });
      const byPayment = (i: number, owner: { clientId?: string; consentId?: string } = {}) =>
        store.findBasketByPaymentId({ clientId, paymentId: basket.paymentIds[i]!, now: NOW, ...owner });
      expect([await byPayment(0), await byPayment(1)]).toEqual([basket, basket]);
      await store.updateDraft({
        clientId,
        draftId: drafts[0]!.draftId,
        now: NOW,
        change: (found) => cancelPayment(found, NOW),
      });
      const again = await approveDraftsIn(store, { drafts: [drafts[0]!] });
      expect(await byPayment(0)).toEqual(basket);
      const anew = { clientId, paymentId: again.paymentIds[0]!, now: NOW };
      expect(await store.findBasketByPaymentId(anew)).toEqual(again);
      expect(await byPayment(0, { clientId: randomUUID() })).toBeUndefined();
      expect(await byPayment(0, { consentId })).toBeUndefined();
      expect(
        await store.findBasketByPaymentId({ clientId, paymentId: randomUUID(), now: NOW }),
      ).toBeUndefined();
    });

    it('finds the basket of a payment under the consent that made it', async () => {
      const [consentId, paymentId, requestId] = [randomUUID(), randomUUID(), randomUUID()];
      const organizationIdentifier = 'PSDDK-DFSA-1';
      const owner = { clientId, consentId, organizationIdentifier };
      const basket: Basket = {
        ...owner,
        requestId,
        draftIds: [paymentId],
        paymentIds: [paymentId],
        redirectUrl: 'https://tpp.test/callback',
        status: 'APPROVED',
        approvalId: randomUUID(),
        createdAt: NOW,
      };
      const decide = () => ({ basket, drafts: [] });
      await store.createBasket({ ...owner, requestId, draftIds: basket.draftIds, now: NOW, decide });
      const find = (asking: { consentId?: string }) =>
        store.findBasketByPaymentId({ clientId, paymentId, now: NOW, ...asking });
      expect(await find({ consentId })).toEqual(basket);
      expect(await find({})).toEqual(basket);
      expect(await find({ consentId: randomUUID() })).toBeUndefined();
    });
  });

  describe(`${name}: single payments are made once per X-Request-Id (§4.5)`, () => {
    it('keeps payment and basket together', async () => {
      const basket = (await initiate(store, { clientId, key: 'one' }))!;
      const [paymentId] = basket.paymentIds;
      const found = await store.findDraft({ clientId, draftId: paymentId!, now: NOW });
      expect(found).toMatchObject({
        kind: 'single',
        status: 'PENDING',
        initiation: { message: 'Rent', executionDate: '2026-11-20' },
        payment: { paymentId, requestId: paymentId },
      });
      expect(await store.findBasketByPaymentId({ clientId, paymentId: paymentId!, now: NOW })).toEqual(
        basket,
      );
      const claimed = await store.claimDue({ ...DUE, now: NOW });
      expect(claimed.map(({ draftId }) => draftId)).toEqual([paymentId]);
    });

    it('finds by a key for 24 hours, for its owner alone', async () => {
      const consentId = randomUUID();
      const basket = await initiate(store, { clientId, consentId, key: 'one' });
      const find = (asking: { clientId?: string; consentId?: string } = {}, ms = 0) =>
        store.findBasketByInitiationKey({ clientId, initiationKey: 'one', now: later(ms), ...asking });
      expect(await find()).toEqual(basket);
      expect(await find({ consentId })).toEqual(basket);
      expect(await find({ consentId: randomUUID() })).toBeUndefined();
      expect(await find({ clientId: randomUUID() })).toBeUndefined();
      expect(await find({}, DAY - 1)).toEqual(basket);
      expect(await find({}, DAY)).toBeUndefined();
      expect(await initiate(store, { clientId, consentId: randomUUID(), key: 'one' })).toBeUndefined();
      const early = await initiate(store, { clientId, key: 'one', now: later(DAY - 1) });
      expect(early?.requestId).toBe(basket?.requestId);
    });

    it('frees a key after 24 hours', async () => {
      const first = await initiate(store, { clientId, key: 'one' });
      const now = later(DAY);
      const second = await initiate(store, { clientId, key: 'one', now });
      expect(second?.requestId).not.toBe(first?.requestId);
      expect(await store.findBasketByInitiationKey({ clientId, initiationKey: 'one', now })).toEqual(second);
    });
  });

  describe(`${name}: standing orders run when they are due (§4.5)`, () => {
    const find = (order: StandingOrder, asking: { clientId?: string; consentId?: string } = {}) =>
      store.findStandingOrder({ clientId, paymentId: order.paymentId, now: NOW, ...asking });
    const list = (asking: { clientId?: string; consentId?: string } = {}) =>
      store.listStandingOrders({ clientId, now: NOW, ...asking });
    const runAt = (now: Date, limit = 10): Promise<number> =>
      store.runStandingOrders({
        now,
        limit,
        run: (order) =>
          runStandingOrder(order, { now, aheadMs: 0, settlementDelayMs: 0, paymentId: randomUUID() }),
      });

    it('finds a standing order only for its owner', async () => {
      const consentId = randomUUID();
      const order = await keepOrder(store, orderOf(clientId, { consentId }));
      const plain = await keepOrder(store, orderOf(clientId, { createdAt: later(1) }));
      expect(await find(order)).toEqual(order);
      expect(await find(order, { consentId })).toEqual(order);
      expect(await list()).toEqual([order, plain]);
      expect(await list({ consentId })).toEqual([order]);
      const strangers = [{ consentId: randomUUID() }, { clientId: randomUUID() }];
      for (const stranger of strangers) {
        expect(await find(order, stranger)).toBeUndefined();
        expect(await list(stranger)).toEqual([]);
        const key = { clientId, paymentId: order.paymentId, now: NOW, ...stranger };
        const change = (found: StandingOrder) => deleteStandingOrder(found, NOW);
        expect(await store.updateStandingOrder({ ...key, change })).toBeUndefined();
      }
      expect(await find(order)).toEqual(order);
    });

    it('makes a due run once, and plans the next', async () => {
      const order = await keepOrder(store, orderOf(clientId));
      expect(await runAt(new Date(FIRST_RUN.getTime() - 1))).toBe(0);
      const claims = await Promise.all([runAt(FIRST_RUN), runAt(FIRST_RUN), runAt(FIRST_RUN)]);
      expect(claims.reduce((sum, taken) => sum + taken, 0)).toBe(1);
      const ran = await store.findStandingOrder({ clientId, paymentId: order.paymentId, now: FIRST_RUN });
      const { paymentId } = ran!.lastRun!;
      expect(ran).toMatchObject({
        next: { index: 1, executionDate: '2026-11-24' },
        dueAt: SECOND_RUN,
        lastRun: { executionDate: '2026-11-23' },
      });
      const due = await store.claimDue({ ...DUE, now: FIRST_RUN });
      expect(due).toHaveLength(1);
      expect(due[0]).toMatchObject({
        kind: 'run',
        draftId: paymentId,
        initiation: { message: 'Rent', executionDate: '2026-11-23' },
        payment: { paymentId, requestId: order.paymentId },
      });
      expect(await runAt(SECOND_RUN)).toBe(1);
    });

    it('decides a standing order together with its basket', async () => {
      const { next: _next, dueAt: _dueAt, ...made } = orderOf(clientId);
      const waiting: StandingOrder = { ...made, status: 'AWAITING_APPROVAL' };
      const { paymentId } = await keepOrder(store, waiting);
      const bystander = await keepOrder(store, { ...waiting, paymentId: randomUUID() });
      const { approvalId } = (await store.findBasket({ clientId, requestId: paymentId, now: NOW }))!;
      const decided = await store.updateBasket({
        approvalId,
        now: NOW,
        decide: (found) => {
          expect(found).toMatchObject({ drafts: [], standingOrder: waiting });
          const standingOrder = activate(found.standingOrder!, { now: NOW, aheadMs: 0 });
          return { ...found, standingOrder };
        },
      });
      expect(decided?.standingOrder).toMatchObject({ status: 'ACTIVE', dueAt: FIRST_RUN });
      expect(await find(waiting)).toEqual(decided?.standingOrder);
      expect(await find(bystander)).toEqual(bystander);
      expect(await runAt(FIRST_RUN)).toBe(1);
    });

    it('runs at most the limit, the longest due first', async () => {
      const late = await keepOrder(
        store,
        orderOf(clientId, {
          schedule: { startDate: '2026-11-24', frequency: 'Daily', executionRule: 'following' },
        }),
      );
      const early = await keepOrder(store, orderOf(clientId));
      const [before, now] = [await find(early), SECOND_RUN];
      expect(await runAt(now, 1)).toBe(1);
      expect(await find(late)).toEqual(late);
      expect(await find(early)).not.toEqual(before);
      expect(await runAt(now, 10)).toBe(1);
      expect(await find(late)).not.toEqual(late);
    });

    it('neither runs nor lists a deleted one', async () => {
      const order = await keepOrder(store, orderOf(clientId));
      const kept = await keepOrder(store, orderOf(clientId, { status: 'ACTIVE' }));
      const change = (found: StandingOrder) => deleteStandingOrder(found, later(1));
      const key = { clientId, paymentId: order.paymentId, now: NOW };
      expect(await store.updateStandingOrder({ ...key, change })).toMatchObject({ deletedAt: later(1) });
      expect(await list()).toEqual([kept]);
      expect(await find(order)).toMatchObject({ deletedAt: later(1) });
      expect(await runAt(FIRST_RUN)).toBe(1);
      expect((await find(order))?.lastRun).toBeUndefined();
    });

    it('lists and runs none that has ended', async () => {
      const schedule = {
        startDate: '2026-11-23',
        endDate: '2026-11-23',
        frequency: 'Daily',
        executionRule: 'following',
      } as const;
      const order = await keepOrder(store, orderOf(clientId, { schedule }));
      expect(await runAt(FIRST_RUN)).toBe(1);
      expect(await list()).toEqual([]);
      expect(await find(order)).toMatchObject({ status: 'ENDED' });
      expect(await runAt(later(DAY * 3))).toBe(0);
    });

    it('refuses a client one more than the most, until one is deleted', async () => {
      const others = Array.from({ length: MAX_STANDING_ORDERS.ofClient - 1 }, () => orderOf(clientId));
      // Few at a time, as requests come.
      for (let at = 0; at < others.length; at += 20)
        await Promise.all(others.slice(at, at + 20).map((order) => keepOrder(store, order)));
      const last = await keepOrder(store, orderOf(clientId));
      await expect(keepOrder(store, orderOf(clientId))).rejects.toMatchObject({
        code: 'STATUS_INVALID',
      });
      await keepOrder(store, orderOf(randomUUID()));
      const change = (found: StandingOrder) => deleteStandingOrder(found, NOW);
      await store.updateStandingOrder({ clientId, paymentId: last.paymentId, now: NOW, change });
      await keepOrder(store, orderOf(clientId));
    });

    it('deletes those of a deleted client, and settles their begun runs', async () => {
      const order = await keepOrder(store, orderOf(clientId));
      await runAt(FIRST_RUN);
      await store.dropClient(clientId);
      expect(await find(order)).toBeUndefined();
      expect(await runAt(SECOND_RUN)).toBe(0);
      expect(await store.claimDue({ ...DUE, now: FIRST_RUN })).toHaveLength(1);
    });
  });
}
