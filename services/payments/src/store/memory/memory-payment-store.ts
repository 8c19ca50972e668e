import { ApiError } from '@kontoport/errors';
import type { Basket } from '../../baskets/basket.model.ts';
import type { Draft } from '../../drafts/draft.model.ts';
import { TEXTS } from '../../texts.ts';
import { FULL_RETRY_AFTER_SECONDS, type SandboxLimits } from '../limits.ts';
import {
  type BasketKey,
  type DraftKey,
  type DueClaim,
  isOwn,
  type Owner,
  type PaymentStore,
} from '../payment-store.ts';
import { MemoryBaskets } from './memory-baskets.ts';
import { MemoryDrafts } from './memory-drafts.ts';
import type { Shelf } from './shelf.ts';

/**
 * The sandbox's payment state (§8): in memory, lost with the process. A draft or basket lives for a while after its
 * last change; a payment that waits for the ledger is kept until it is settled.
 * Every call decides and writes without yielding, which makes it atomic in one process; it is no store for two.
 */
export class MemoryPaymentStore implements PaymentStore {
  readonly #limits: SandboxLimits;
  readonly #drafts: MemoryDrafts;
  readonly #baskets: MemoryBaskets;
  readonly #shelves: readonly (Shelf<Draft> | Shelf<Basket>)[];
  #sweptAt = -Infinity;

  constructor(limits: SandboxLimits) {
    this.#limits = limits;
    this.#drafts = new MemoryDrafts(limits);
    this.#baskets = new MemoryBaskets(limits);
    this.#shelves = [this.#drafts.shelf, this.#baskets.shelf];
  }

  async createDraft(draft: Draft): Promise<'created' | 'taken'> {
    const { clientId, draftId, createdAt: now } = draft;
    if (this.#drafts.find({ clientId, draftId, now })) return 'taken';
    this.#makeRoom({ ...draft, entries: 1, now });
    this.#drafts.save(draft);
    return 'created';
  }

  async findDraft(key: DraftKey): Promise<Draft | undefined> {
    return this.#drafts.find(key);
  }

  async findDrafts(keys: Owner & { draftIds: readonly string[]; now: Date }): Promise<Draft[]> {
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
      organizationIdentifier: string;
      draftIds: readonly string[];
      decide: (drafts: ReadonlyMap<string, Draft>) => { basket: Basket; drafts: readonly Draft[] };
    },
  ): Promise<Basket | undefined> {
    const { clientId, requestId, now } = approval;
    const existing = this.#baskets.find({ clientId, requestId, now });
    if (existing) return isOwn(existing, approval) ? existing : undefined;
    const found = this.#drafts.findAll(approval);
    const { basket, drafts } = approval.decide(new Map(found.map((draft) => [draft.draftId, draft])));
    this.#makeRoom({ ...approval, entries: approval.draftIds.length });
    for (const draft of drafts) this.#drafts.save(draft);
    this.#baskets.save(basket);
    return basket;
  }

  async findBasket(key: BasketKey): Promise<Basket | undefined> {
    return this.#baskets.find(key);
  }

  async findBasketByPaymentId(key: Owner & { paymentId: string; now: Date }): Promise<Basket | undefined> {
    return this.#baskets.findByPaymentId(key);
  }

  async findBasketByApprovalId(key: { approvalId: string; now: Date }): Promise<Basket | undefined> {
    return this.#baskets.findByApprovalId(key);
  }

  async claimDue(claim: DueClaim): Promise<Draft[]> {
    return this.#drafts.claimDue(claim);
  }

  async dropClient(clientId: string): Promise<void> {
    this.#drafts.drop(clientId);
    this.#baskets.drop(clientId);
  }

  /** Forgets what lapsed before `now`; bounded by the number of clients and of lapsed entries. */
  sweep(now: Date): void {
    for (const shelf of this.#shelves) for (const clientId of shelf.clientIds()) shelf.sweep(clientId, now);
  }

  /** The bounds are judged before anything is written; lapsed entries go first where they stand in the way. */
  #makeRoom(order: Order): void {
    if (this.#refusal(order) === undefined) return;
    this.#sweepIfOld(order.now);
    for (const shelf of this.#shelves) shelf.sweep(order.clientId, order.now);
    const rule = this.#refusal(order);
    if (rule !== undefined)
      throw new ApiError('RATE_LIMITED', TEXTS(rule), { retryAfterSeconds: FULL_RETRY_AFTER_SECONDS });
  }

  #refusal({
    clientId,
    organizationIdentifier,
    entries,
  }: Order): 'client-full' | 'organization-full' | undefined {
    const { entriesPerClient, entriesInAll, organizationShare } = this.#limits;
    const ofClient = this.#sum((shelf) => shelf.sizeOf(clientId));
    if (ofClient + entries > entriesPerClient) return 'client-full';
    const own = this.#sum((shelf) => shelf.sizeOfOrganization(organizationIdentifier));
    const leftByOthers = entriesInAll - (this.#sum((shelf) => shelf.size) - own);
    return own + entries > leftByOthers * organizationShare ? 'organization-full' : undefined;
  }

  /** Whoever stands at a bound and asks again and again must not make every request walk over all clients. */
  #sweepIfOld(now: Date): void {
    if (now.getTime() < this.#sweptAt + SWEEP_PAUSE_MS) return;
    this.#sweptAt = now.getTime();
    this.sweep(now);
  }

  #sum(sizeOf: (shelf: Shelf<Draft> | Shelf<Basket>) => number): number {
    return this.#shelves.reduce((sum, shelf) => sum + sizeOf(shelf), 0);
  }
}

/** Who wants to keep how much more. */
interface Order {
  clientId: string;
  organizationIdentifier: string;
  entries: number;
  now: Date;
}

const SWEEP_PAUSE_MS = 1_000;
