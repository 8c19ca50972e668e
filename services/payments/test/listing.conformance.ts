import { randomUUID } from 'node:crypto';
import { type Draft } from '../src/domain/draft.model.ts';
import { cancelPayment } from '../src/domain/payment.model.ts';
import type { PaymentListing, PaymentStore } from '../src/domain/ports/payment-store.ts';
import { initiate } from './initiations.conformance.ts';
import { approveDraftsIn, draftOf, later, NOW } from './store-fixtures.ts';

const TYPE = 'domestic-credit-transfer';
const DAY = 86_400_000;

/** The lists of single payments, for every payment store. @param open a store that keeps settled payments for `keptDays` */
export function describeListing(name: string, open: () => Promise<PaymentStore>, keptDays: number): void {
  describe(`${name}: single payments are listed, newest first (§4.5)`, () => {
    let store: PaymentStore;
    let clientId: string;
    beforeEach(async () => {
      store = await open();
      clientId = randomUUID();
    });

    const make = async (at = 0, more: { consentId?: string; clientId?: string } = {}): Promise<string> =>
      (await initiate(store, { clientId, ...more, now: later(at) }))!.requestId;
    const list = async (more: Partial<PaymentListing> = {}): Promise<string[]> => {
      const listing = { clientId, paymentType: TYPE, limit: 100, now: later(1_000), ...more };
      return (await store.listSinglePayments(listing)).map(({ draftId }) => draftId);
    };

    it('lists them by the time of their creation, then by id', async () => {
      const [first, last] = [await make(0), await make(2)];
      const twins = [await make(1), await make(1), await make(1)].toSorted().toReversed();
      expect(await list()).toEqual([last, ...twins, first]);
      const [newest] = await store.listSinglePayments({ clientId, paymentType: TYPE, limit: 1, now: NOW });
      expect(newest).toEqual(await store.findDraft({ clientId, draftId: last, now: NOW }));
    });

    it('continues after any position without gaps and repetitions', async () => {
      for (const at of [0, 1, 1, 1, 2, 2, 3]) await make(at);
      const all = await list();
      for (const limit of [1, 2, 3, 7]) {
        const walked: string[] = [];
        for (let page = await list({ limit }); page.length > 0;) {
          expect(page.length).toBeLessThanOrEqual(limit);
          walked.push(...page);
          expect(walked.length).toBeLessThanOrEqual(all.length);
          const { createdAt } = (await store.findDraft({ clientId, draftId: page.at(-1)!, now: NOW }))!;
          page = await list({ limit, after: { createdAt, paymentId: page.at(-1)! } });
        }
        expect(walked).toEqual(all);
      }
      const nowhere = { createdAt: later(2), paymentId: '00000000-0000-0000-0000-000000000000' };
      expect(await list({ after: nowhere })).toEqual(all.slice(3));
    });

    it('lists those of a consent for it and for the client itself only', async () => {
      const [consentId, other] = [randomUUID(), randomUUID()];
      const own = await make(0, { consentId });
      const plain = await make(1);
      await make(2, { clientId: randomUUID() });
      expect(await list()).toEqual([plain, own]);
      expect(await list({ consentId })).toEqual([own]);
      expect(await list({ consentId: other })).toEqual([]);
      expect(await list({ clientId: randomUUID() })).toEqual([]);
    });

    it('has neither drafts, nor their payments, nor those of another type', async () => {
      const single = await make();
      const drafts = [draftOf(clientId), draftOf(clientId)] as const;
      for (const draft of drafts) await store.createDraft(draft);
      await approveDraftsIn(store, { drafts: [drafts[1]] });
      expect(await list()).toEqual([single]);
      expect(await list({ paymentType: 'swedish-bank-giro' })).toEqual([]);
    });

    it('has none that was deleted', async () => {
      const [kept, deleted] = [await make(), await make()];
      const change = (draft: Draft): Draft => cancelPayment(draft, NOW);
      await store.updateDraft({ clientId, draftId: deleted, now: NOW, change });
      expect(await list()).toEqual([kept]);
    });

    it('lists settled ones until they expire', async () => {
      const paymentId = await make();
      const change = (draft: Draft): Draft => ({ ...draft, status: 'COMPLETED', updatedAt: NOW });
      await store.updateDraft({ clientId, draftId: paymentId, now: NOW, change });
      expect(await list({ now: later(keptDays * DAY - 1) })).toEqual([paymentId]);
      // A store may keep them up to the whole hour.
      expect(await list({ now: later(keptDays * DAY + 3_600_000) })).toEqual([]);
    });
  });
}
