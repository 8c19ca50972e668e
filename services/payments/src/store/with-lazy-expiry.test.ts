import { randomUUID } from 'node:crypto';
import { draftOf, later, NOW, requestApproval } from '../../test/store-fixtures.ts';
import { MemoryPaymentStore } from './memory/memory-payment-store.ts';
import { withLazyExpiry } from './with-lazy-expiry.ts';

const BOUNDS = {
  lifetimeMs: 86_400_000,
  entriesPerClient: 100,
  entriesInAll: 1_000,
  organizationShare: 0.5,
  eventsInAll: 100,
};

describe('every read of an approval after its end returns EXPIRED (§3.2)', () => {
  async function asked() {
    const kept = new MemoryPaymentStore(BOUNDS);
    const draft = draftOf(randomUUID());
    await kept.createDraft(draft);
    const initiatedBy = { key: randomUUID(), digest: 'digest' };
    const basket = await requestApproval(kept, { drafts: [draft], expiresAt: later(1_000), initiatedBy });
    return { kept, store: withLazyExpiry(kept), basket, draft };
  }
  type Scene = Awaited<ReturnType<typeof asked>>;

  it.each<[string, (scene: Scene, now: Date) => Promise<{ status: string } | undefined>]>([
    ['of the basket', ({ store, basket }, now) => store.findBasket({ ...basket, now })],
    [
      'of the basket by its link',
      ({ store, basket: { approvalId } }, now) => store.findBasketByApprovalId({ approvalId, now }),
    ],
    [
      'of the basket by the call that made it',
      ({ store, basket: { clientId, initiatedBy } }, now) =>
        store.findBasketByInitiationKey({ clientId, initiationKey: initiatedBy!.key!, now }),
    ],
    [
      'of the basket by its payment',
      ({ store, basket: { clientId, paymentIds } }, now) =>
        store.findBasketByPaymentId({ clientId, paymentId: paymentIds[0]!, now }),
    ],
    [
      'of the basket beside its drafts',
      async ({ store, basket }, now) => (await store.findBasketAndDrafts({ ...basket, now })).basket,
    ],
    [
      'of the drafts beside their basket',
      async ({ store, basket }, now) => (await store.findBasketAndDrafts({ ...basket, now })).drafts[0],
    ],
    [
      'of a draft',
      ({ store, draft: { clientId, draftId } }, now) => store.findDraft({ clientId, draftId, now }),
    ],
  ])('%s, and not a millisecond before', async (_what, read) => {
    const scene = await asked();
    expect((await read(scene, later(999)))?.status).toBe('AWAITING_APPROVAL');
    expect((await read(scene, later(1_000)))?.status).toBe('EXPIRED');
    const { kept, basket, draft } = scene;
    const { clientId, draftId } = draft;
    expect((await kept.findBasket({ ...basket, now: NOW }))?.status).toBe('EXPIRED');
    expect((await kept.findDraft({ clientId, draftId, now: NOW }))?.status).toBe('EXPIRED');
  });

  it('of single payments in their list', async () => {
    const { kept, store, draft } = await asked();
    const { clientId, draftId, paymentType } = draft;
    await kept.updateDraft({
      clientId,
      draftId,
      now: NOW,
      change: (found) => ({ ...found, kind: 'single' }),
    });
    const statuses = async (now: Date) =>
      (await store.listSinglePayments({ clientId, paymentType, limit: 10, now })).map(({ status }) => status);
    expect(await statuses(later(999))).toEqual(['AWAITING_APPROVAL']);
    expect(await statuses(later(1_000))).toEqual(['EXPIRED']);
  });
});
