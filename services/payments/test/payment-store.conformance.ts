import { randomUUID } from 'node:crypto';
import { KeyedCounter } from '@kontoport/fairness';
import { completeApproval, schedulePoll } from '../src/domain/approval-request.model.ts';
import type { BasketState } from '../src/domain/basket-state.model.ts';
import type { Basket } from '../src/domain/basket.model.ts';
import { type Draft, paymentOf } from '../src/domain/draft.model.ts';
import { cancelPayment, endPosting } from '../src/domain/payment.model.ts';
import type { PaymentStore } from '../src/domain/ports/payment-store.ts';
import { approveDraftsIn, draftOf, DUE, held, later, NOW, requestApproval } from './store-fixtures.ts';

/** The behaviour of every payment store. */
export function describePaymentStore(name: string, open: () => Promise<PaymentStore>): void {
  describe(`${name}: a payment store (§3.2, §Sandbox)`, () => {
    let store: PaymentStore;
    let clientId: string;
    beforeEach(async () => {
      store = await open();
      clientId = randomUUID();
    });

    const keep = async (draft = draftOf(clientId)): Promise<Draft> => {
      expect(await store.createDraft(draft)).toBe('created');
      return draft;
    };
    const due = async (organization: string, delayMs: number): Promise<string> => {
      const draft = await keep(draftOf(randomUUID(), NOW, organization));
      await approveDraftsIn(store, { drafts: [draft], delayMs });
      return draft.draftId;
    };
    const key = ({ clientId: owner, draftId }: Draft, now = NOW) => ({ clientId: owner, draftId, now });

    it('finds records of a consent for it and for the client itself only', async () => {
      const [consentId, other] = [randomUUID(), randomUUID()];
      const draft = await keep({ ...draftOf(clientId), consentId });
      const plain = await keep();
      const draftIds = [draft.draftId, plain.draftId];
      const owners = [{ clientId }, { clientId, consentId }, { clientId, consentId: other }];
      const found = owners.map((owner) => store.findDrafts({ ...owner, draftIds, now: NOW }));
      expect((await Promise.all(found)).map(({ length }) => length)).toEqual([2, 1, 0]);
      expect(await store.findDraft({ ...key(draft), consentId })).toEqual(draft);
      expect(await store.findDraft(key(draft))).toEqual(draft);
      expect(await store.findDraft({ ...key(draft), consentId: other })).toBeUndefined();
      expect(await store.findDraft({ ...key(plain), consentId })).toBeUndefined();
      const change = (present: Draft): Draft => ({ ...present, name: 'Changed' });
      expect(await store.updateDraft({ ...key(draft), consentId: other, change })).toBeUndefined();
      const changed = await store.updateDraft({ ...key(draft), consentId, change });
      expect(changed?.name).toBe('Changed');
      const again = { ...draftOf(clientId), draftId: draft.draftId, consentId: other };
      expect(await store.createDraft(again)).toBe('taken');
      expect(await store.findDraft(key(draft))).toMatchObject({ name: 'Changed', consentId });
    });

    it('deletes a draft if its check passes, for its owner only, and frees the id', async () => {
      const consentId = randomUUID();
      const draft = await keep({ ...draftOf(clientId), consentId });
      const other = await keep();
      const check = (): void => undefined;
      expect(await store.deleteDraft({ ...key(draft), clientId: randomUUID(), check })).toBe(false);
      expect(await store.deleteDraft({ ...key(draft), consentId: randomUUID(), check })).toBe(false);
      const refuse = ({ draftId }: Draft): void => {
        throw new Error(`stays ${draftId}`);
      };
      const refused = store.deleteDraft({ ...key(draft), check: refuse });
      await expect(refused).rejects.toThrow(`stays ${draft.draftId}`);
      expect(await store.findDraft(key(draft))).toEqual(draft);
      expect(await store.deleteDraft({ ...key(draft), consentId, check })).toBe(true);
      expect(await store.findDraft(key(draft))).toBeUndefined();
      expect(await store.deleteDraft({ ...key(draft), check })).toBe(false);
      expect(await store.findDraft(key(other))).toEqual(other);
      await keep({ ...draftOf(clientId), draftId: draft.draftId, name: 'Again' });
      expect(await store.findDraft(key(draft))).toMatchObject({ name: 'Again' });
    });

    it('keeps one basket under an id, and gives it to no other consent', async () => {
      const consentId = randomUUID();
      const requestId = randomUUID();
      const basket = (made: { consentId?: string }): Basket => ({
        ...made,
        clientId,
        organizationIdentifier: 'PSDDK-DFSA-1',
        requestId,
        draftIds: [],
        paymentIds: [],
        redirectUrl: 'https://tpp.test/callback',
        status: 'APPROVED',
        approvalId: randomUUID(),
        createdAt: NOW,
      });
      const create = (owner: { consentId?: string }) =>
        store.createBasket({
          ...owner,
          clientId,
          organizationIdentifier: 'PSDDK-DFSA-1',
          requestId,
          draftIds: [],
          now: NOW,
          decide: () => ({ basket: basket(owner), drafts: [] }),
        });
      const made = await create({ consentId });
      expect(made).toMatchObject({ consentId });
      expect(await create({ consentId: randomUUID() })).toBeUndefined();
      expect(await create({})).toEqual(made);
      const find = (owner: { consentId?: string }) =>
        store.findBasket({ clientId, requestId, now: NOW, ...owner });
      expect(await find({ consentId: randomUUID() })).toBeUndefined();
      expect(await find({ consentId })).toEqual(made);
      expect(await find({})).toEqual(made);
    });

    it('takes a draftId once per client', async () => {
      const draft = await keep();
      expect(await store.createDraft({ ...draft, name: 'Other' })).toBe('taken');
      expect((await store.findDraft(key(draft)))?.name).toBe('Rent');
      expect(await store.createDraft({ ...draft, clientId: randomUUID() })).toBe('created');
    });

    it('lets one of concurrent creations have the draftId', async () => {
      const draft = draftOf(clientId);
      const results = await Promise.all(Array.from({ length: 5 }, () => store.createDraft(draft)));
      expect(results.filter((result) => result === 'created')).toHaveLength(1);
    });

    it('finds no draft or basket of another client', async () => {
      const draft = await keep();
      const { requestId } = await approveDraftsIn(store, { drafts: [draft], delayMs: 1_000 });
      const stranger = randomUUID();
      const asked: Draft[] = [];
      const change = (found: Draft): Draft => {
        asked.push(found);
        return found;
      };
      expect(await store.findDraft({ ...key(draft), clientId: stranger })).toBeUndefined();
      expect(await store.findDrafts({ clientId: stranger, draftIds: [draft.draftId], now: NOW })).toEqual([]);
      expect(await store.updateDraft({ ...key(draft), clientId: stranger, change })).toBeUndefined();
      expect(await store.findBasket({ clientId: stranger, requestId, now: NOW })).toBeUndefined();
      expect(asked).toEqual([]);
    });

    it('leaves a draft as it was when its change throws', async () => {
      const draft = await keep();
      const change = (): Draft => {
        throw new Error('no');
      };
      await expect(store.updateDraft({ ...key(draft), change })).rejects.toThrow('no');
      expect(await store.findDraft(key(draft))).toEqual(draft);
    });

    it('keeps a basket with all its drafts, findable by its approval id', async () => {
      const drafts = [await keep(), await keep()];
      const basket = await approveDraftsIn(store, { drafts });
      expect(await store.findBasket({ clientId, requestId: basket.requestId, now: NOW })).toEqual(basket);
      expect(await store.findBasketByApprovalId({ approvalId: basket.approvalId, now: NOW })).toEqual(basket);
      expect(await store.findBasketByApprovalId({ approvalId: randomUUID(), now: NOW })).toBeUndefined();
      for (const draft of drafts) expect((await store.findDraft(key(draft)))?.status).toBe('PENDING');
    });

    it('keeps neither basket nor drafts when the decision throws', async () => {
      const draft = await keep();
      const requestId = randomUUID();
      const { draftId, organizationIdentifier } = draft;
      const approval = { clientId, organizationIdentifier, requestId, draftIds: [draftId], now: NOW };
      const decide = (): never => {
        throw new Error('no');
      };
      await expect(store.createBasket({ ...approval, decide })).rejects.toThrow('no');
      expect(await store.findBasket({ clientId, requestId, now: NOW })).toBeUndefined();
      expect(await store.findDraft(key(draft))).toEqual(draft);
    });

    it('claims a payment when it is due, once', async () => {
      const draft = await keep();
      await approveDraftsIn(store, { drafts: [draft], delayMs: 1_000 });
      const claim = (now: Date) => store.claimDue({ ...DUE, now });
      expect(await claim(later(999))).toEqual([]);
      const claims = await Promise.all([claim(later(1_000)), claim(later(1_000)), claim(later(1_000))]);
      expect(claims.flat().map(({ draftId }) => draftId)).toEqual([draft.draftId]);
      expect(paymentOf(claims.flat()[0]!).attempts).toBe(1);
      expect(await claim(later(5_999))).toEqual([]);
      const [again] = await claim(later(6_000));
      expect(paymentOf(again!).attempts).toBe(2);
    });

    it('claims at most the limit, the longest due first', async () => {
      const drafts = [await keep(), await keep(), await keep()];
      for (const [i, draft] of drafts.entries())
        await approveDraftsIn(store, { drafts: [draft], delayMs: 30 - 10 * i });
      const claim = (limit: number) => store.claimDue({ ...DUE, now: later(100), limit });
      const [first, second] = [await claim(2), await claim(2)];
      expect([first.length, second.length]).toEqual([2, 1]);
      const order = [...first, ...second].map(({ draftId }) => draftId);
      expect(order).toEqual(drafts.map(({ draftId }) => draftId).toReversed());
    });

    it('claims a postponed payment at its new time, and a settled one never', async () => {
      const draft = await keep();
      await approveDraftsIn(store, { drafts: [draft] });
      const claim = (now: Date) => store.claimDue({ ...DUE, now });
      const { paymentId } = paymentOf((await claim(NOW))[0]!);
      const end = (outcome: { outcome: 'postpone'; dueAt: Date } | { outcome: 'settle' }, now: Date) =>
        store.updateDraft({
          ...key(draft, now),
          change: (found) => endPosting(found, { ...outcome, paymentId, now }),
        });
      await end({ outcome: 'postpone', dueAt: later(100) }, NOW);
      expect(await claim(later(99))).toEqual([]);
      expect(await claim(later(100))).toHaveLength(1);
      await end({ outcome: 'settle' }, later(200));
      expect(await claim(later(3_600_000))).toEqual([]);
      expect((await store.findDraft(key(draft, later(200))))?.status).toBe('COMPLETED');
    });

    it('claims a payment that was approved again only at its new time', async () => {
      const draft = await keep();
      await approveDraftsIn(store, { drafts: [draft], delayMs: 1_000 });
      await store.updateDraft({ ...key(draft), change: (found) => cancelPayment(found, NOW) });
      await approveDraftsIn(store, { drafts: [draft], delayMs: 9_000 });
      const claim = (now: Date) => store.claimDue({ ...DUE, now });
      expect(await claim(later(8_999))).toEqual([]);
      expect(await claim(later(9_000))).toHaveLength(1);
    });

    it('claims round robin by organization, each in the order of due times', async () => {
      const many = [await due('one', 0), await due('one', 1), await due('one', 2), await due('one', 3)];
      const few = [await due('two', 9), await due('three', 8)];
      const claim = async (limit: number, limitPerOrganization = 10, inFlight = new KeyedCounter()) =>
        (await store.claimDue({ now: later(10), limit, limitPerOrganization, inFlight, leaseMs: 5_000 })).map(
          ({ draftId }) => draftId,
        );
      const first = await claim(3);
      expect(new Set(first)).toEqual(new Set([many[0], ...few]));
      expect(await claim(10, 2, held('one', 2))).toEqual([]);
      expect(await claim(10, 2, held('one', 1))).toEqual([many[1]]);
      expect(await claim(10)).toEqual(many.slice(2));
      expect(await claim(10)).toEqual([]);
    });

    it('claims for other organizations behind one at its limit', async () => {
      for (const organization of ['one', 'one', 'one', 'two', 'two', 'two']) await due(organization, 0);
      const claimBeside = async (full: string) => {
        const inFlight = held(full, 2);
        const claim = { ...DUE, limit: 1, limitPerOrganization: 2, inFlight };
        return (await store.claimDue({ ...claim, now: NOW })).map(
          ({ organizationIdentifier }) => organizationIdentifier,
        );
      };
      const turns = [await claimBeside('one'), await claimBeside('one'), await claimBeside('two')];
      expect(turns).toEqual([['two'], ['two'], ['one']]);
    });

    it('finds a basket and drafts of their owner together', async () => {
      const consentId = randomUUID();
      const [approved, other] = [await keep(), await keep({ ...draftOf(clientId), consentId })];
      const { requestId } = await approveDraftsIn(store, { drafts: [approved] });
      const draftIds = [approved.draftId, other.draftId, randomUUID()];
      const find = async (owner: { clientId: string; consentId?: string }, id = requestId) => {
        const found = await store.findBasketAndDrafts({ ...owner, requestId: id, draftIds, now: NOW });
        return [found.basket?.requestId, found.drafts.length];
      };
      expect(await find({ clientId })).toEqual([requestId, 2]);
      expect(await find({ clientId }, randomUUID())).toEqual([undefined, 2]);
      expect(await find({ clientId, consentId })).toEqual([undefined, 1]);
    });

    it('changes a basket and its drafts together, once of concurrent decisions', async () => {
      const drafts = [await keep(), await keep()];
      const bystander = await keep();
      const asked = await requestApproval(store, { drafts, expiresAt: later(1_000) });
      expect((await store.findDraft(key(drafts[0]!)))?.status).toBe('AWAITING_APPROVAL');
      const { approvalId } = asked;
      const seen: number[] = [];
      const decide = (found: BasketState): BasketState => {
        seen.push(found.drafts.length);
        return completeApproval(found, { outcome: 'declined' }, NOW);
      };
      const decided = await Promise.all(
        [1, 2, 3].map(() => store.updateBasket({ approvalId, now: NOW, decide })),
      );
      expect(new Set(seen)).toEqual(new Set([2]));
      const { basket } = decided[0]!;
      expect(basket).toMatchObject({
        ...asked,
        status: 'REJECTED',
        approvalRequest: { error: 'access_denied' },
      });
      expect(decided.map((each) => each!.basket)).toEqual([basket, basket, basket]);
      expect(await store.findBasketByApprovalId({ approvalId, now: NOW })).toEqual(basket);
      expect(await store.findBasket({ clientId, requestId: asked.requestId, now: NOW })).toEqual(basket);
      const stored = await store.findDrafts({ clientId, draftIds: asked.draftIds, now: NOW });
      expect(stored).toHaveLength(2);
      for (const draft of stored)
        expect(draft).toMatchObject({ status: 'REJECTED', rejection: { rule: 'rejected-by-user' } });
      expect(await store.findDraft(key(bystander))).toEqual(bystander);
    });

    it('changes neither basket nor drafts when the decision throws', async () => {
      const draft = await keep();
      const asked = await requestApproval(store, { drafts: [draft], expiresAt: later(1_000) });
      const { approvalId } = asked;
      const decide = (): never => {
        throw new Error('no');
      };
      await expect(store.updateBasket({ approvalId, now: NOW, decide })).rejects.toThrow('no');
      expect(await store.findBasketByApprovalId({ approvalId, now: NOW })).toEqual(asked);
      expect((await store.findDraft(key(draft)))?.status).toBe('AWAITING_APPROVAL');
      expect(await store.updateBasket({ approvalId: randomUUID(), now: NOW, decide })).toBeUndefined();
    });

    it('claims a waiting basket when it is due, once', async () => {
      const asked = await requestApproval(store, { drafts: [await keep()], expiresAt: later(60_000) });
      await requestApproval(store, { drafts: [await keep()], expiresAt: later(90_000) });
      await approveDraftsIn(store, { drafts: [await keep()] });
      const { approvalId } = asked;
      const claim = (now: Date) => store.claimBaskets({ ...DUE, now });
      expect(await claim(later(59_999))).toEqual([]);
      const dueAt = later(1_000);
      await store.updateBasket({ approvalId, now: NOW, decide: (found) => schedulePoll(found, dueAt) });
      expect(await claim(later(999))).toEqual([]);
      const claims = await Promise.all([claim(later(1_000)), claim(later(1_000)), claim(later(1_000))]);
      expect(claims.flat().map((basket) => basket.approvalId)).toEqual([approvalId]);
      expect(claims.flat()[0]!.approvalRequest).toMatchObject({ attempts: 1, dueAt: later(6_000) });
      expect(await claim(later(5_999))).toEqual([]);
      const [again] = await claim(later(6_000));
      expect(again?.approvalRequest?.attempts).toBe(2);
      await store.updateBasket({
        approvalId,
        now: later(6_000),
        decide: (found) => completeApproval(found, { outcome: 'failed' }, later(6_000)),
      });
      expect(await claim(later(60_000))).toEqual([]);
    });

    it("deletes a client's records, except approved payments that are not settled", async () => {
      const [idle, approved] = [await keep(), await keep()];
      const basket = await approveDraftsIn(store, { drafts: [approved] });
      const other = await keep(draftOf(randomUUID()));
      await store.dropClient(clientId);
      await store.dropClient(clientId);
      expect(await store.findDraft(key(idle))).toBeUndefined();
      expect(await store.findBasket({ clientId, requestId: basket.requestId, now: NOW })).toBeUndefined();
      expect(await store.findBasketByApprovalId({ approvalId: basket.approvalId, now: NOW })).toBeUndefined();
      expect(await store.findDraft(key(other))).toEqual(other);
      const claimed = await store.claimDue({ ...DUE, now: NOW });
      expect(claimed.map(({ draftId }) => draftId)).toEqual([approved.draftId]);
    });
  });
}
