import { randomUUID } from 'node:crypto';
import { askIn, draftOf, later, NOW } from '../../test/kept.ts';
import { PAYMENT_TYPES } from '../payment-types/payment-types.ts';
import { MemoryPaymentStore } from '../store/memory/memory-payment-store.ts';
import { showApproval } from './show-approval.ts';
import { standingBasket, standingDraft } from './standing.ts';

const BOUNDS = {
  lifetimeMs: 86_400_000,
  entriesPerClient: 100,
  entriesInAll: 1_000,
  organizationShare: 0.5,
  eventsInAll: 100,
};

describe('every read of an approval whose time is over finds it EXPIRED (§3.2)', () => {
  async function asked() {
    const store = new MemoryPaymentStore(BOUNDS);
    const draft = draftOf(randomUUID());
    await store.createDraft(draft);
    const basket = await askIn(store, { drafts: [draft], expiresAt: later(1_000) });
    const { clientId, draftId } = draft;
    const stored = async () => (await store.findDraft({ clientId, draftId, now: NOW }))!;
    return { store, basket, stored };
  }

  it('the basket, and its drafts with it', async () => {
    const { store, basket, stored } = await asked();
    expect(await standingBasket(store, basket, later(999))).toBe(basket);
    expect((await standingBasket(store, basket, later(1_000))).status).toBe('EXPIRED');
    expect((await stored()).status).toBe('EXPIRED');
  });

  it('the draft, and its basket with it', async () => {
    const { store, basket, stored } = await asked();
    const draft = await stored();
    expect(await standingDraft(store, draft, later(999))).toBe(draft);
    expect((await standingDraft(store, draft, later(1_000))).status).toBe('EXPIRED');
    const { approvalId } = basket;
    expect((await store.findBasketByApprovalId({ approvalId, now: NOW }))?.status).toBe('EXPIRED');
  });
});

/** Tells what it was asked for. */
class WatchedStore extends MemoryPaymentStore {
  readonly asked: string[] = [];
  override findBasketByApprovalId(...key: Parameters<MemoryPaymentStore['findBasketByApprovalId']>) {
    this.asked.push('basket');
    return super.findBasketByApprovalId(...key);
  }
  override findDrafts(...keys: Parameters<MemoryPaymentStore['findDrafts']>) {
    this.asked.push('drafts');
    return super.findDrafts(...keys);
  }
  override decideBasket(...decision: Parameters<MemoryPaymentStore['decideBasket']>) {
    this.asked.push('decision');
    return super.decideBasket(...decision);
  }
}

describe('links that were never given out (§4.4)', () => {
  it('cost one look each, ten thousand of them, and decide nothing', async () => {
    const store = new WatchedStore(BOUNDS);
    const deps = { store, paymentTypes: PAYMENT_TYPES };
    for (let i = 0; i < 10_000; i++)
      await expect(
        showApproval(deps, { approvalId: randomUUID(), userId: 'user', now: NOW }),
      ).rejects.toMatchObject({ code: 'RESOURCE_UNKNOWN' });
    expect(store.asked).toEqual(Array.from({ length: 10_000 }, () => 'basket'));
  });
});
