import { ApiError } from '@kontoport/errors';
import type { Basket } from '../../baskets/basket.model.ts';
import type { Draft } from '../../drafts/draft.model.ts';
import { TEXTS } from '../../texts.ts';
import { FULL_RETRY_AFTER_SECONDS, type SandboxLimits } from '../limits.ts';
import type { BasketKey, DraftKey, PaymentStore } from '../payment-store.ts';
import { MemoryBaskets } from './memory-baskets.ts';
import { MemoryDrafts } from './memory-drafts.ts';

/**
 * The sandbox's payment state (§8): in memory, lost with the process. A draft or basket lives for a while after its
 * last change; a payment that waits for the ledger is kept until it is settled.
 * Every call decides and writes without yielding, which makes it atomic in one process; it is no store for two.
 */
export class MemoryPaymentStore implements PaymentStore {
  readonly #limits: SandboxLimits;
  readonly #drafts: MemoryDrafts;
  readonly #baskets: MemoryBaskets;

  constructor(limits: SandboxLimits) {
    this.#limits = limits;
    this.#drafts = new MemoryDrafts(limits);
    this.#baskets = new MemoryBaskets(limits);
  }

  async createDraft(draft: Draft): Promise<'created' | 'taken'> {
    const { clientId, createdAt: now } = draft;
    if (this.#drafts.find({ ...draft, now })) return 'taken';
    this.#makeRoom({ clientId, entries: 1, now });
    this.#drafts.save(draft);
    return 'created';
  }

  async findDraft(key: DraftKey): Promise<Draft | undefined> {
    return this.#drafts.find(key);
  }

  async findDrafts(keys: { clientId: string; draftIds: readonly string[]; now: Date }): Promise<Draft[]> {
    return this.#drafts.findAll(keys);
  }

  async updateDraft(key: DraftKey & { change: (draft: Draft) => Draft }): Promise<Draft | undefined> {
    const draft = this.#drafts.find(key);
    if (draft === undefined) return undefined;
    const changed = key.change(draft);
    if (changed !== draft) this.#drafts.save(changed);
    return changed;
  }

  async createBasket(
    approval: BasketKey & {
      draftIds: readonly string[];
      decide: (drafts: ReadonlyMap<string, Draft>) => { basket: Basket; drafts: readonly Draft[] };
    },
  ): Promise<Basket> {
    const { clientId, draftIds, now } = approval;
    const existing = this.#baskets.find(approval);
    if (existing) return existing;
    const found = this.#drafts.findAll(approval);
    const { basket, drafts } = approval.decide(new Map(found.map((draft) => [draft.draftId, draft])));
    this.#makeRoom({ clientId, entries: draftIds.length, now });
    for (const draft of drafts) this.#drafts.save(draft);
    this.#baskets.save(basket);
    return basket;
  }

  async findBasket(key: BasketKey): Promise<Basket | undefined> {
    return this.#baskets.find(key);
  }

  async findBasketByApprovalId(key: { approvalId: string; now: Date }): Promise<Basket | undefined> {
    return this.#baskets.findByApprovalId(key);
  }

  async claimDue(claim: { now: Date; limit: number; leaseMs: number }): Promise<Draft[]> {
    return this.#drafts.claimDue(claim);
  }

  async dropClient(clientId: string): Promise<void> {
    this.#drafts.drop(clientId);
    this.#baskets.drop(clientId);
  }

  /** Forgets what lapsed before `now`; bounded by the number of clients and of lapsed entries. */
  sweep(now: Date): void {
    for (const { shelf } of [this.#drafts, this.#baskets])
      for (const clientId of shelf.clientIds()) shelf.sweep(clientId, now);
  }

  #makeRoom({ clientId, entries, now }: { clientId: string; entries: number; now: Date }): void {
    const shelves = [this.#drafts.shelf, this.#baskets.shelf];
    const { entriesPerClient, entriesInAll } = this.#limits;
    const clientFull = (): boolean =>
      shelves.reduce((sum, shelf) => sum + shelf.sizeOf(clientId), entries) > entriesPerClient;
    const allFull = (): boolean => shelves.reduce((sum, shelf) => sum + shelf.size, entries) > entriesInAll;
    if (clientFull()) for (const shelf of shelves) shelf.sweep(clientId, now);
    if (allFull()) this.sweep(now);
    if (!clientFull() && !allFull()) return;
    throw new ApiError('RATE_LIMITED', TEXTS('sandbox-full'), {
      retryAfterSeconds: FULL_RETRY_AFTER_SECONDS,
    });
  }
}
