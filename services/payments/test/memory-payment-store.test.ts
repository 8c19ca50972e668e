import { randomUUID } from 'node:crypto';
import { paymentOf } from '../src/domain/draft.model.ts';
import { endPosting } from '../src/domain/payment.model.ts';
import { MemoryPaymentStore } from '../src/store/memory/memory-payment-store.ts';
import { describeInitiations } from './initiations.conformance.ts';
import { describeListing } from './listing.conformance.ts';
import { describePaymentStore } from './payment-store.conformance.ts';
import { approveDraftsIn, draftOf, DUE } from './store-fixtures.ts';

const DAY = 86_400_000;
const BOUNDS = {
  lifetimeMs: DAY,
  entriesPerClient: 100,
  entriesInAll: 1_000,
  organizationShare: 0.5,
  eventsInAll: 1_000,
};
const ROOMY = { ...BOUNDS, entriesPerClient: 2_000, entriesInAll: 10_000 };
const ORGANIZATION = 'PSDDK-DFSA-1';
const NOW = new Date('2026-11-21T12:00:00Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);

describePaymentStore('in memory', async () => new MemoryPaymentStore(BOUNDS));
describeInitiations('in memory', async () => new MemoryPaymentStore(ROOMY));
describeListing('in memory', async () => new MemoryPaymentStore(ROOMY), 1);

describe('sandbox payment state: in memory, 24 hours lifetime (§8)', () => {
  it('shows a draft for 24 hours after its last change, to the millisecond', async () => {
    const store = new MemoryPaymentStore(BOUNDS);
    const draft = draftOf(randomUUID(), NOW);
    await store.createDraft(draft);
    const { clientId, draftId } = draft;
    const find = (now: Date) => store.findDraft({ clientId, draftId, now });
    await store.updateDraft({
      clientId,
      draftId,
      now: later(1_000),
      change: (found) => ({ ...found, updatedAt: later(1_000) }),
    });
    expect(await find(later(DAY + 999))).toBeDefined();
    expect(await find(later(DAY + 1_000))).toBeUndefined();
    expect(await store.createDraft({ ...draft, createdAt: later(DAY + 1_000) })).toBe('created');
  });

  it('shows a basket for 24 hours', async () => {
    const store = new MemoryPaymentStore(BOUNDS);
    const draft = draftOf(randomUUID(), NOW);
    await store.createDraft(draft);
    const { clientId, requestId, approvalId } = await approveDraftsIn(store, { drafts: [draft], now: NOW });
    expect(await store.findBasket({ clientId, requestId, now: later(DAY - 1) })).toBeDefined();
    expect(await store.findBasket({ clientId, requestId, now: later(DAY) })).toBeUndefined();
    expect(await store.findBasketByApprovalId({ approvalId, now: later(DAY) })).toBeUndefined();
  });

  it('does not let the link of a lapsed basket lead to a later one of the same requestId', async () => {
    const store = new MemoryPaymentStore(BOUNDS);
    const clientId = randomUUID();
    const draft = draftOf(clientId, NOW);
    await store.createDraft(draft);
    const { requestId, approvalId } = await approveDraftsIn(store, { drafts: [draft], now: NOW });
    const now = later(DAY);
    const second = draftOf(clientId, now);
    await store.createDraft(second);
    const basket = await approveDraftsIn(store, { drafts: [second], requestId, now });
    expect(await store.findBasketByApprovalId({ approvalId, now })).toBeUndefined();
    expect(await store.findBasketByApprovalId({ approvalId: basket.approvalId, now })).toEqual(basket);
  });

  it('keeps a pending payment until it is settled', async () => {
    const store = new MemoryPaymentStore(BOUNDS);
    const draft = draftOf(randomUUID(), NOW);
    await store.createDraft(draft);
    await approveDraftsIn(store, { drafts: [draft], now: NOW });
    store.sweep(later(2 * DAY));
    const [claimed] = await store.claimDue({ ...DUE, now: later(2 * DAY) });
    expect(claimed?.draftId).toBe(draft.draftId);
    const { paymentId } = paymentOf(claimed!);
    const { clientId, draftId } = draft;
    const now = later(2 * DAY);
    await store.updateDraft({
      clientId,
      draftId,
      now,
      change: (found) => endPosting(found, { outcome: 'settle', paymentId, now }),
    });
    expect((await store.findDraft({ clientId, draftId, now }))?.status).toBe('COMPLETED');
    expect(await store.findDraft({ clientId, draftId, now: later(3 * DAY) })).toBeUndefined();
  });
});

describe('the sandbox is bounded (§8)', () => {
  it('counts baskets, so that approving and cancelling again and again ends', async () => {
    const store = new MemoryPaymentStore({ ...BOUNDS, entriesPerClient: 3 });
    const drafts = [draftOf(randomUUID(), NOW)];
    await store.createDraft(drafts[0]!);
    const { clientId, draftId } = drafts[0]!;
    const approveAndCancel = async (): Promise<void> => {
      await approveDraftsIn(store, { drafts });
      await store.updateDraft({ clientId, draftId, now: NOW, change: () => drafts[0]! });
    };
    await approveAndCancel();
    await approveAndCancel();
    await expect(approveDraftsIn(store, { drafts })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect((await store.findDraft({ clientId, draftId, now: NOW }))?.status).toBe('CREATED');
  });

  it('counts a basket by the drafts that it names', async () => {
    const store = new MemoryPaymentStore({ ...BOUNDS, entriesPerClient: 5 });
    const clientId = randomUUID();
    const drafts = [draftOf(clientId, NOW), draftOf(clientId, NOW), draftOf(clientId, NOW)];
    for (const draft of drafts) await store.createDraft(draft);
    await expect(approveDraftsIn(store, { drafts })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    await approveDraftsIn(store, { drafts: drafts.slice(1) });
    await expect(store.createDraft(draftOf(clientId, NOW))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 60,
    });
  });

  it('makes room by the age of the last change: an update that changes nothing does not count', async () => {
    const store = new MemoryPaymentStore({ ...BOUNDS, entriesPerClient: 2 });
    const clientId = randomUUID();
    const [older, newer] = [draftOf(clientId, NOW), draftOf(clientId, later(2_000))];
    await store.createDraft(older);
    await store.createDraft(newer);
    await store.updateDraft({ ...older, now: later(3_000), change: (found) => found });
    expect(await store.createDraft(draftOf(clientId, later(DAY + 1_000)))).toBe('created');
  });

  it('has room for one organization more', async () => {
    const store = new MemoryPaymentStore({ ...BOUNDS, entriesPerClient: 1_000, organizationShare: 0.2 });
    const taken: number[] = [];
    for (let organization = 0; organization < 20; organization++) {
      let count = 0;
      const create = () =>
        store.createDraft(draftOf(`client ${organization}`, NOW, `PSDDK-DFSA-${organization}`));
      while (await create().catch(() => false)) count += 1;
      taken.push(count);
    }
    expect(taken.slice(0, 3)).toEqual([200, 160, 128]);
    expect(Math.min(...taken)).toBeGreaterThan(0);
    expect(taken.reduce((sum, count) => sum + count)).toBeLessThan(1_000);
  });

  it('looks for expired items at most once a second', async () => {
    const store = new MemoryPaymentStore({ ...BOUNDS, entriesInAll: 2 });
    const create = (now: Date) => store.createDraft(draftOf(randomUUID(), now, ORGANIZATION));
    await create(NOW);
    await expect(create(later(DAY - 1))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(create(later(DAY + 998))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await create(later(DAY + 999))).toBe('created');
  });

  it('does not count deleted items', async () => {
    const store = new MemoryPaymentStore({ ...BOUNDS, entriesPerClient: 2, entriesInAll: 4 });
    const clientId = randomUUID();
    for (let day = 0; day < 5; day++) {
      const draft = draftOf(clientId, later(day * DAY));
      await store.createDraft(draft);
      await approveDraftsIn(store, { drafts: [draft], now: later(day * DAY) });
      await store.claimDue({ ...DUE, now: later(day * DAY) });
      await store.updateDraft({
        clientId,
        draftId: draft.draftId,
        now: later(day * DAY),
        change: (found) =>
          endPosting(found, {
            outcome: 'settle',
            paymentId: paymentOf(found).paymentId,
            now: later(day * DAY),
          }),
      });
      if (day === 2) await store.dropClient(clientId);
      else store.sweep(later((day + 1) * DAY));
    }
    expect(await store.createDraft(draftOf(clientId, later(6 * DAY)))).toBe('created');
  });
});
