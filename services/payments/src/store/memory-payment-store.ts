import { ApiError } from '@kontoport/errors';
import type { Basket } from '../baskets/basket.model.ts';
import { beginPosting, type Draft } from '../drafts/draft.model.ts';
import { DueQueue } from './due-queue.ts';
import type { PaymentStore } from './payment-store.ts';

/** What one client keeps; both maps are in the order of the last change, so that what lapses stands in front. */
interface ClientState {
  drafts: Map<string, Draft>;
  baskets: Map<string, Basket>;
  /** Drafts plus draft entries of baskets: what the bound counts. */
  size: number;
}

export interface MemoryPaymentStore extends PaymentStore {
  /** Forgets what lapsed before `now`; bounded by the number of clients and of lapsed entries. */
  sweep(now: Date): void;
}

/**
 * The sandbox's payment state (specification §8): in memory, lost with the process. A draft or basket lives
 * `lifetimeMs` after its last change; a payment that waits for the ledger is kept until it is settled.
 * Every call decides and writes without yielding, which makes it atomic in one process; it is no store for two.
 * @param bounds.perClient, bounds.inAll how many drafts, and draft entries of baskets, are kept at most
 */
export function openMemoryPaymentStore(bounds: {
  lifetimeMs: number;
  perClient: number;
  inAll: number;
}): MemoryPaymentStore {
  const clients = new Map<string, ClientState>();
  const approvals = new Map<string, Basket>();
  const due = new DueQueue<{ clientId: string; draftId: string }>();
  let total = 0;

  const isLiveDraft = (draft: Draft, now: Date): boolean =>
    draft.status === 'PENDING' || draft.updatedAt.getTime() + bounds.lifetimeMs > now.getTime();
  const isLiveBasket = (basket: Basket, now: Date): boolean =>
    basket.createdAt.getTime() + bounds.lifetimeMs > now.getTime();

  const stateOf = (clientId: string): ClientState => {
    const known = clients.get(clientId);
    if (known) return known;
    const state: ClientState = { drafts: new Map(), baskets: new Map(), size: 0 };
    clients.set(clientId, state);
    return state;
  };

  const liveDraft = (clientId: string, draftId: string, now: Date): Draft | undefined => {
    const draft = clients.get(clientId)?.drafts.get(draftId);
    return draft && isLiveDraft(draft, now) ? draft : undefined;
  };

  const liveBasket = (basket: Basket | undefined, now: Date): Basket | undefined =>
    basket && isLiveBasket(basket, now) ? basket : undefined;

  const resize = (state: ClientState, change: number): void => {
    state.size += change;
    total += change;
  };

  const forgetDraft = (state: ClientState, draftId: string): void => {
    if (state.drafts.delete(draftId)) resize(state, -1);
  };

  const forgetBasket = (state: ClientState, basket: Basket): void => {
    state.baskets.delete(basket.requestId);
    approvals.delete(basket.approvalId);
    resize(state, -basket.draftIds.length);
  };

  const save = (state: ClientState, draft: Draft): void => {
    const before = state.drafts.get(draft.draftId);
    if (before === draft) return;
    if (before === undefined) resize(state, 1);
    state.drafts.delete(draft.draftId);
    state.drafts.set(draft.draftId, draft);
    const { payment } = draft;
    if (draft.status === 'PENDING' && payment && payment.dueAt !== before?.payment?.dueAt)
      due.add({ at: payment.dueAt.getTime(), item: { clientId: draft.clientId, draftId: draft.draftId } });
  };

  const sweepClient = (state: ClientState, now: Date): void => {
    for (const draft of state.drafts.values()) {
      if (draft.status === 'PENDING') continue;
      if (isLiveDraft(draft, now)) break;
      forgetDraft(state, draft.draftId);
    }
    for (const basket of state.baskets.values()) {
      if (isLiveBasket(basket, now)) break;
      forgetBasket(state, basket);
    }
  };

  const sweep = (now: Date): void => {
    for (const [clientId, state] of clients) {
      sweepClient(state, now);
      if (state.size === 0) clients.delete(clientId);
    }
  };

  const makeRoom = (state: ClientState, entries: number, now: Date): void => {
    if (state.size + entries > bounds.perClient) sweepClient(state, now);
    if (total + entries > bounds.inAll) sweep(now);
    const full = state.size + entries > bounds.perClient || total + entries > bounds.inAll;
    if (!full) return;
    throw new ApiError('RATE_LIMITED', 'The sandbox keeps too many drafts and baskets; older ones lapse.', {
      retryAfterSeconds: 60,
    });
  };

  return {
    sweep,

    async createDraft(draft) {
      const { clientId, draftId, createdAt: now } = draft;
      if (liveDraft(clientId, draftId, now)) return 'taken';
      const state = stateOf(clientId);
      forgetDraft(state, draftId);
      makeRoom(state, 1, now);
      // Making room may have forgotten a client without entries.
      clients.set(clientId, state);
      save(state, draft);
      return 'created';
    },

    async findDraft({ clientId, draftId, now }) {
      return liveDraft(clientId, draftId, now);
    },

    async findDrafts({ clientId, draftIds, now }) {
      return draftIds.flatMap((draftId) => liveDraft(clientId, draftId, now) ?? []);
    },

    async updateDraft({ clientId, draftId, now, change }) {
      const draft = liveDraft(clientId, draftId, now);
      if (draft === undefined) return undefined;
      const changed = change(draft);
      save(stateOf(clientId), changed);
      return changed;
    },

    async createBasket({ clientId, requestId, now, draftIds, decide }) {
      const existing = liveBasket(clients.get(clientId)?.baskets.get(requestId), now);
      if (existing) return existing;
      const found = draftIds.flatMap((draftId) => liveDraft(clientId, draftId, now) ?? []);
      const { basket, drafts } = decide(new Map(found.map((draft) => [draft.draftId, draft])));
      const state = stateOf(clientId);
      const lapsed = state.baskets.get(requestId);
      if (lapsed) forgetBasket(state, lapsed);
      makeRoom(state, draftIds.length, now);
      for (const draft of drafts) save(state, draft);
      state.baskets.set(requestId, basket);
      approvals.set(basket.approvalId, basket);
      resize(state, basket.draftIds.length);
      return basket;
    },

    async findBasket({ clientId, requestId, now }) {
      return liveBasket(clients.get(clientId)?.baskets.get(requestId), now);
    },

    async findBasketByApprovalId({ approvalId, now }) {
      return liveBasket(approvals.get(approvalId), now);
    },

    async claimDue({ now, limit, leaseMs }) {
      const claimed: Draft[] = [];
      while (claimed.length < limit) {
        const entry = due.take(now.getTime());
        if (entry === undefined) break;
        const state = clients.get(entry.item.clientId);
        const draft = state?.drafts.get(entry.item.draftId);
        // An entry of a payment that was cancelled, claimed or put off meanwhile.
        if (draft?.status !== 'PENDING' || draft.payment?.dueAt.getTime() !== entry.at) continue;
        const posting = beginPosting(draft, { now, leaseMs });
        save(state!, posting);
        claimed.push(posting);
      }
      return claimed;
    },

    async dropClient(clientId) {
      const state = clients.get(clientId);
      if (state === undefined) return;
      for (const basket of state.baskets.values()) forgetBasket(state, basket);
      for (const draft of state.drafts.values())
        if (draft.status !== 'PENDING') forgetDraft(state, draft.draftId);
      if (state.size === 0) clients.delete(clientId);
    },
  };
}
