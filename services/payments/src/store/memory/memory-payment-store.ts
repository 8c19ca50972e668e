import { ApiError } from '@kontoport/errors';
import type { OutboxEvent } from '@kontoport/events';
import type { BasketState } from '../../domain/basket-state.model.ts';
import type { Basket } from '../../domain/basket.model.ts';
import { basketEvents, draftEvents, standingOrderEvents } from '../../domain/change-events.ts';
import type { Draft } from '../../domain/draft.model.ts';
import { isOwn, type Owner } from '../../domain/owner.model.ts';
import type { BasketKey } from '../../domain/ports/basket-store.ts';
import type { DraftKey } from '../../domain/ports/draft-store.ts';
import {
  type BasketUpdate,
  type DueClaim,
  type InitiationKey,
  type PaymentKey,
  type PaymentListing,
  type PaymentStore,
  type RunClaim,
} from '../../domain/ports/payment-store.ts';
import type { StandingOrder } from '../../domain/standing-order.model.ts';
import { TEXTS } from '../../domain/texts.ts';
import { FULL_RETRY_AFTER_SECONDS, MAX_STANDING_ORDERS, type SandboxLimits } from '../limits.ts';
import type { ExpiringCollection } from './expiring-collection.ts';
import { basketEntries, MemoryBaskets } from './memory-baskets.ts';
import { MemoryDrafts } from './memory-drafts.ts';
import { MemoryOutbox } from './memory-outbox.ts';
import { MemoryStandingOrders } from './memory-standing-orders.ts';

/**
 * Stores the sandbox's payments in memory (§8); they end with the process. Drafts and baskets expire after their last change;
 * a pending payment stays until it is settled, a standing order until it ends. Every call decides and writes without
 * yielding, so it is atomic in one process; two processes cannot share it.
 */
export class MemoryPaymentStore implements PaymentStore {
  /** Events to publish. */
  readonly outbox: MemoryOutbox;
  readonly #limits: SandboxLimits;
  readonly #drafts: MemoryDrafts;
  readonly #baskets: MemoryBaskets;
  readonly #standingOrders: MemoryStandingOrders;
  readonly #collections: readonly AnyCollection[];
  #sweptAt = -Infinity;

  constructor(limits: SandboxLimits) {
    this.#limits = limits;
    this.outbox = new MemoryOutbox({ limit: limits.eventsInAll });
    this.#drafts = new MemoryDrafts(limits);
    this.#baskets = new MemoryBaskets(limits);
    this.#standingOrders = new MemoryStandingOrders(limits);
    this.#collections = [this.#drafts.collection, this.#baskets.collection, this.#standingOrders.collection];
  }

  /** Number of records in the due queues, each counted once. */
  get waiting(): number {
    return this.#drafts.waiting + this.#baskets.waiting + this.#standingOrders.waiting;
  }

  async createDraft(draft: Draft): Promise<'created' | 'taken'> {
    const { clientId, draftId, createdAt: now } = draft;
    if (this.#drafts.find({ clientId, draftId, now })) return 'taken';
    this.#makeRoom({ ...draft, entries: 1, now });
    this.#save(undefined, draft);
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
    if (changed !== draft) this.#save(draft, changed);
    return changed;
  }

  async deleteDraft(key: DraftKey & { check: (draft: Draft) => void }): Promise<boolean> {
    const draft = this.#drafts.find(key);
    if (draft === undefined) return false;
    key.check(draft);
    this.#drafts.remove(draft);
    return true;
  }

  async createBasket(
    approval: BasketKey & {
      organizationIdentifier: string;
      initiationKey?: string | undefined;
      draftIds: readonly string[];
      decide: (drafts: ReadonlyMap<string, Draft>) => BasketState;
    },
  ): Promise<Basket | undefined> {
    const { clientId, requestId, initiationKey, now } = approval;
    const existing =
      this.#baskets.find({ clientId, requestId, now }) ??
      (initiationKey && this.#baskets.findByInitiationKey({ clientId, initiationKey, now }));
    if (existing) return isOwn(existing, approval) ? existing : undefined;
    const found = new Map(this.#drafts.findAll(approval).map((draft) => [draft.draftId, draft]));
    const { basket, drafts, standingOrder } = approval.decide(found);
    const made = drafts.filter(({ draftId }) => !found.has(draftId)).length;
    const standingOrders = standingOrder === undefined ? 0 : 1;
    const entries = basketEntries(approval.draftIds) + made + standingOrders;
    this.#makeRoom({ ...approval, entries, standingOrders });
    for (const draft of drafts) this.#drafts.save(draft);
    if (standingOrder) this.#standingOrders.save(standingOrder);
    this.#baskets.save(basket);
    this.#publish(basket, basketEvents({ drafts: found }, { basket, drafts, standingOrder }));
    return basket;
  }

  async findBasket(key: BasketKey): Promise<Basket | undefined> {
    return this.#baskets.find(key);
  }

  async findBasketAndDrafts(
    key: BasketKey & { draftIds: readonly string[] },
  ): Promise<{ basket?: Basket; drafts: Draft[] }> {
    const basket = this.#baskets.find(key);
    return { ...(basket && { basket }), drafts: this.#drafts.findAll(key) };
  }

  async findBasketByInitiationKey(key: InitiationKey): Promise<Basket | undefined> {
    return this.#baskets.findByInitiationKey(key);
  }

  async findBasketByPaymentId(key: PaymentKey): Promise<Basket | undefined> {
    return this.#baskets.findByPaymentId(key);
  }

  async findBasketByApprovalId(key: { approvalId: string; now: Date }): Promise<Basket | undefined> {
    return this.#baskets.findByApprovalId(key);
  }

  async updateBasket({ approvalId, now, decide }: BasketUpdate): Promise<BasketState | undefined> {
    const basket = this.#baskets.findByApprovalId({ approvalId, now });
    if (basket === undefined) return undefined;
    const { clientId, draftIds, requestId } = basket;
    const order = this.#standingOrders.find({ clientId, paymentId: requestId, now });
    const drafts = this.#drafts.findAll({ clientId, draftIds, now });
    const decided = decide({ basket, drafts, ...(order && { standingOrder: order }) });
    const before = new Map(drafts.map((draft) => [draft.draftId, draft]));
    for (const draft of decided.drafts) if (draft !== before.get(draft.draftId)) this.#drafts.save(draft);
    const { standingOrder } = decided;
    if (standingOrder && standingOrder !== order) this.#standingOrders.save(standingOrder);
    if (decided.basket !== basket) this.#baskets.replace(decided.basket);
    this.#publish(basket, basketEvents({ drafts: before, standingOrder: order }, decided));
    return decided;
  }

  async claimBaskets(claim: DueClaim): Promise<Basket[]> {
    return this.#baskets.claim(claim);
  }

  async claimDue(claim: DueClaim): Promise<Draft[]> {
    return this.#drafts.claimDue(claim);
  }

  async listSinglePayments(listing: PaymentListing): Promise<Draft[]> {
    return this.#drafts.listSinglePayments(listing);
  }

  async findStandingOrder(key: PaymentKey): Promise<StandingOrder | undefined> {
    return this.#standingOrders.find(key);
  }

  async listStandingOrders(owner: Owner & { now: Date }): Promise<StandingOrder[]> {
    return this.#standingOrders.list(owner);
  }

  async updateStandingOrder(
    key: PaymentKey & { change: (order: StandingOrder) => StandingOrder },
  ): Promise<StandingOrder | undefined> {
    const order = this.#standingOrders.find(key);
    if (order === undefined) return undefined;
    const changed = key.change(order);
    if (changed === order) return changed;
    this.#standingOrders.save(changed);
    this.#publish(changed, standingOrderEvents(order, changed));
    return changed;
  }

  async runStandingOrders({ now, limit, run }: RunClaim): Promise<number> {
    for (let taken = 0; taken < limit; taken++) {
      const order = this.#standingOrders.takeDue(now);
      if (order === undefined) return taken;
      const ran = this.#hasRoomFor({ ...order, entries: 1, now })
        ? run(order)
        : { order: { ...order, dueAt: new Date(now.getTime() + FULL_WAIT_MS) } };
      this.#standingOrders.save(ran.order);
      if (ran.draft) this.#save(undefined, ran.draft);
    }
    return limit;
  }

  async dropClient(clientId: string): Promise<void> {
    this.#drafts.drop(clientId);
    this.#baskets.drop(clientId);
    this.#standingOrders.drop(clientId);
  }

  /** Brings forward the due times of a client whose clock moved on by `byMs`. */
  advance({ clientId, byMs, now }: { clientId: string; byMs: number; now: Date }): void {
    const earlier = (dueAt: Date): Date => new Date(Math.max(now.getTime(), dueAt.getTime() - byMs));
    for (const draft of this.#drafts.collection.itemsOf(clientId, now)) {
      const { status, payment } = draft;
      // A submitted payment waits for the bank, whose answer does not depend on the client's clock.
      if (status === 'PENDING' && payment?.attempts === 0)
        this.#drafts.save({ ...draft, payment: { ...payment, dueAt: earlier(payment.dueAt) } });
    }
    for (const order of this.#standingOrders.collection.itemsOf(clientId, now))
      if (order.dueAt !== undefined) this.#standingOrders.save({ ...order, dueAt: earlier(order.dueAt) });
  }

  /** Stores a draft with its events. */
  #save(before: Draft | undefined, after: Draft): void {
    this.#drafts.save(after);
    this.#publish(after, draftEvents(before, after));
  }

  #publish(
    { organizationIdentifier }: { organizationIdentifier: string },
    events: readonly OutboxEvent[],
  ): void {
    this.outbox.add(organizationIdentifier, events);
  }

  /** Deletes expired records; the cost is bounded by the number of clients and of expired entries. */
  sweep(now: Date): void {
    for (const collection of this.#collections)
      for (const clientId of collection.clientIds()) collection.sweep(clientId, now);
  }

  /** Checks the quotas before anything is written. */
  #makeRoom(order: Order): void {
    if (this.#hasRoomFor(order)) return;
    const rule = this.#refusal(order)!;
    if (rule === 'standing-orders-full') throw new ApiError('STATUS_INVALID', TEXTS(rule));
    throw new ApiError('RATE_LIMITED', TEXTS(rule), { retryAfterSeconds: FULL_RETRY_AFTER_SECONDS });
  }

  /** Deletes expired entries if the quota is full without that. */
  #hasRoomFor(order: Order): boolean {
    if (this.#refusal(order) === undefined) return true;
    this.#sweepIfOld(order.now);
    for (const collection of this.#collections) collection.sweep(order.clientId, order.now);
    return this.#refusal(order) === undefined;
  }

  #refusal(order: Order): 'client-full' | 'organization-full' | 'standing-orders-full' | undefined {
    const { clientId, organizationIdentifier, entries, standingOrders = 0 } = order;
    const { entriesPerClient, entriesInAll, organizationShare } = this.#limits;
    const live = this.#standingOrders.live(order);
    const { ofClient: most, ofOrganization: mostOfOrganization } = MAX_STANDING_ORDERS;
    if (standingOrders > 0 && (live.ofClient >= most || live.ofOrganization >= mostOfOrganization))
      return 'standing-orders-full';
    const ofClient = this.#sum((collection) => collection.sizeOf(clientId));
    if (ofClient + entries > entriesPerClient) return 'client-full';
    const own = this.#sum((collection) => collection.sizeOfOrganization(organizationIdentifier));
    const leftByOthers = entriesInAll - (this.#sum((collection) => collection.size) - own);
    return own + entries > leftByOthers * organizationShare ? 'organization-full' : undefined;
  }

  /** Sweeps at most once a second: a client at its quota must not make every request walk over all clients. */
  #sweepIfOld(now: Date): void {
    if (now.getTime() < this.#sweptAt + SWEEP_PAUSE_MS) return;
    this.#sweptAt = now.getTime();
    this.sweep(now);
  }

  #sum(sizeOf: (collection: AnyCollection) => number): number {
    return this.#collections.reduce((sum, collection) => sum + sizeOf(collection), 0);
  }
}

/** A request for entries of the quotas. */
interface Order {
  clientId: string;
  organizationIdentifier: string;
  entries: number;
  /** Of the entries. */
  standingOrders?: number;
  now: Date;
}

type AnyCollection =
  | ExpiringCollection<Draft>
  | ExpiringCollection<Basket>
  | ExpiringCollection<StandingOrder>;

const SWEEP_PAUSE_MS = 1_000;
/** Delay of a standing order whose run does not fit the quota. */
const FULL_WAIT_MS = FULL_RETRY_AFTER_SECONDS * 1_000;
