import { type Db, inTransaction, type Tx } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import { addToOutbox, type OutboxEvent, type Relay } from '@kontoport/events';
import { beginAsking } from '../../approvals/asking.model.ts';
import { type Basket, type Decision, INITIATION_KEY_MS } from '../../baskets/basket.model.ts';
import { beginPosting, type Draft } from '../../drafts/draft.model.ts';
import { transferEvents } from '../../events/transfer-events.ts';
import type { StandingOrder } from '../../standing-orders/standing-order.model.ts';
import { TEXTS } from '../../texts.ts';
import { MOST_STANDING_ORDERS } from '../limits.ts';
import {
  type BasketDecision,
  type BasketKey,
  type DraftKey,
  type DueClaim,
  type InitiationKey,
  isOwn,
  type Owner,
  type PaymentKey,
  type PaymentListing,
  type PaymentStore,
  type RunClaim,
} from '../payment-store.ts';
import { DueRecords } from './claim-due.ts';
import { type OpenLimits, Places } from './places.ts';
import { isUuid } from './record-table.ts';
import { selectSinglePayments } from './select-single-payments.ts';
import { openTables, type Retention, type Tables } from './tables.ts';

/** First halves of two-part advisory locks, which meet no other lock of the database. */
const LOCK = { initiation: 0x696e6974, standingOrders: 0x73746f72 };
const ATTEMPTS = 3;
const DROP_BATCH = 5_000;

/**
 * The payment state of production, in PostgreSQL: each call is one transaction, events included, so any number of processes
 * may share it, and one that dies leaves nothing half done (ADR 57).
 * What locks more than one row takes the locks in one order: what initiates, baskets, drafts, standing orders, keys of events.
 */
export class PostgresPaymentStore implements PaymentStore {
  readonly #db: Pick<Db, 'pool'>;
  readonly #relay: Relay;
  readonly #tables: Tables;
  readonly #places: Places;
  readonly #dueDrafts = new DueRecords<Draft>('draft');
  readonly #dueBaskets = new DueRecords<Basket>('basket');

  constructor(options: { db: Pick<Db, 'pool'>; relay: Relay; limits: OpenLimits; retention: Retention }) {
    this.#db = options.db;
    this.#relay = options.relay;
    this.#tables = openTables(options.retention);
    const { drafts, baskets } = this.#tables;
    this.#places = new Places({
      limits: options.limits,
      count: async (tx, owner) => {
        const [inDrafts, inBaskets] = [await drafts.countOf(tx, owner), await baskets.countOf(tx, owner)];
        return {
          ofClient: inDrafts.ofClient + inBaskets.ofClient,
          ofOrganization: inDrafts.ofOrganization + inBaskets.ofOrganization,
        };
      },
    });
  }

  async createDraft(draft: Draft): Promise<'created' | 'taken'> {
    return this.#atomic(async (tx, tell) => {
      const { createdAt: now } = draft;
      if (!(await this.#tables.drafts.insert(tx, draft, now))) return 'taken';
      await this.#places.take(tx, { ...draft, entries: 1, written: 1, now });
      tell(transferEvents(undefined, draft));
      return 'created';
    });
  }

  async findDraft({ draftId, ...key }: DraftKey): Promise<Draft | undefined> {
    const [draft] = await this.#tables.drafts.find(this.#db.pool, { ...key, ids: [draftId] });
    return draft;
  }

  async findDrafts({
    draftIds,
    ...owner
  }: Owner & { draftIds: readonly string[]; now: Date }): Promise<Draft[]> {
    return this.#tables.drafts.find(this.#db.pool, { ...owner, ids: draftIds });
  }

  async updateDraft({
    draftId,
    change,
    ...key
  }: DraftKey & { change: (draft: Draft) => Draft }): Promise<Draft | undefined> {
    return this.#atomic(async (tx, tell) => {
      const [draft] = await this.#tables.drafts.lock(tx, { ...key, ids: [draftId] });
      if (draft === undefined) return undefined;
      const changed = change(draft);
      if (changed === draft) return draft;
      await this.#tables.drafts.save(tx, [changed]);
      tell(transferEvents(draft, changed));
      return changed;
    });
  }

  async deleteDraft({
    draftId,
    judge,
    ...key
  }: DraftKey & { judge: (draft: Draft) => void }): Promise<boolean> {
    return this.#atomic(async (tx) => {
      const [draft] = await this.#tables.drafts.lock(tx, { ...key, ids: [draftId] });
      if (draft === undefined) return false;
      judge(draft);
      await this.#tables.drafts.drop(tx, { clientId: key.clientId, id: draftId });
      return true;
    });
  }

  async createBasket(
    approval: BasketKey & {
      organizationIdentifier: string;
      initiationKey?: string | undefined;
      draftIds: readonly string[];
      decide: (drafts: ReadonlyMap<string, Draft>) => Decision;
    },
  ): Promise<Basket | undefined> {
    return this.#atomic(async (tx, tell) => {
      const { clientId, requestId, initiationKey, draftIds, now } = approval;
      await lockInitiation(tx, [`${clientId} r ${requestId}`, `${clientId} k ${initiationKey ?? requestId}`]);
      const whoever = { clientId, now };
      const existing =
        (await this.#findBasket(tx, { ...whoever, requestId })) ??
        (initiationKey === undefined
          ? undefined
          : await this.#findByInitiationKey(tx, { ...whoever, initiationKey }));
      if (existing) return isOwn(existing, approval) ? existing : undefined;
      const held = await this.#tables.drafts.lock(tx, { ...approval, ids: draftIds });
      const found = new Map(held.map((draft) => [draft.draftId, draft]));
      const decision = approval.decide(found);
      await this.#keepDecision(tx, { ...approval, found, decision });
      for (const draft of decision.drafts) tell(transferEvents(found.get(draft.draftId), draft));
      return decision.basket;
    });
  }

  async findBasket(key: BasketKey): Promise<Basket | undefined> {
    return this.#findBasket(this.#db.pool, key);
  }

  async findBasketByInitiationKey(key: InitiationKey): Promise<Basket | undefined> {
    return this.#findByInitiationKey(this.#db.pool, key);
  }

  async findBasketByPaymentId({ paymentId, ...owner }: PaymentKey): Promise<Basket | undefined> {
    if (!isUuid(paymentId)) return undefined;
    const condition = 'id = (SELECT basket_id FROM basket_payment WHERE payment_id = $4 AND client_id = $1)';
    return this.#tables.baskets.findBy(this.#db.pool, owner, {
      name: 'payment',
      condition,
      value: paymentId,
    });
  }

  async findBasketByApprovalId({
    approvalId,
    now,
  }: {
    approvalId: string;
    now: Date;
  }): Promise<Basket | undefined> {
    return this.#tables.baskets.findByApproval(this.#db.pool, { approvalId, now });
  }

  async decideBasket({ approvalId, now, decide }: BasketDecision): Promise<Decision | undefined> {
    const { baskets, drafts, standingOrders } = this.#tables;
    return this.#atomic(async (tx, tell) => {
      const basket = await baskets.lockByApproval(tx, { approvalId, now });
      if (basket === undefined) return undefined;
      const { clientId, draftIds, requestId } = basket;
      const held = await drafts.lock(tx, { clientId, ids: draftIds, now });
      const [order] = await standingOrders.lock(tx, { clientId, ids: [requestId], now });
      const decided = decide({ basket, drafts: held, ...(order && { standingOrder: order }) });
      const before = new Map(held.map((draft) => [draft.draftId, draft]));
      const changed = decided.drafts.filter((draft) => draft !== before.get(draft.draftId));
      await drafts.save(tx, changed);
      const { standingOrder } = decided;
      if (standingOrder && standingOrder !== order) await standingOrders.save(tx, [standingOrder]);
      if (decided.basket !== basket) await baskets.save(tx, [decided.basket]);
      for (const draft of changed) tell(transferEvents(before.get(draft.draftId), draft));
      return decided;
    });
  }

  async claimBaskets(claim: DueClaim): Promise<Basket[]> {
    if (claim.limit <= 0 || !(await this.#dueBaskets.any(this.#db.pool, claim.now))) return [];
    return this.#atomic(async (tx) => {
      const baskets = (await this.#dueBaskets.take(tx, claim)).map((basket) => beginAsking(basket, claim));
      await this.#tables.baskets.save(tx, baskets);
      return baskets;
    });
  }

  async claimDue(claim: DueClaim): Promise<Draft[]> {
    if (claim.limit <= 0 || !(await this.#dueDrafts.any(this.#db.pool, claim.now))) return [];
    return this.#atomic(async (tx) => {
      const drafts = (await this.#dueDrafts.take(tx, claim)).map((draft) => beginPosting(draft, claim));
      await this.#tables.drafts.save(tx, drafts);
      return drafts;
    });
  }

  async listSinglePayments(listing: PaymentListing): Promise<Draft[]> {
    return selectSinglePayments(this.#db.pool, listing);
  }

  async findStandingOrder({ paymentId, ...key }: PaymentKey): Promise<StandingOrder | undefined> {
    const [order] = await this.#tables.standingOrders.find(this.#db.pool, { ...key, ids: [paymentId] });
    return order;
  }

  async listStandingOrders(owner: Owner & { now: Date }): Promise<StandingOrder[]> {
    return this.#tables.standingOrders.listCounted(this.#db.pool, owner);
  }

  async updateStandingOrder({
    paymentId,
    change,
    ...key
  }: PaymentKey & { change: (order: StandingOrder) => StandingOrder }): Promise<StandingOrder | undefined> {
    return this.#atomic(async (tx) => {
      const [order] = await this.#tables.standingOrders.lock(tx, { ...key, ids: [paymentId] });
      if (order === undefined) return undefined;
      const changed = change(order);
      if (changed !== order) await this.#tables.standingOrders.save(tx, [changed]);
      return changed;
    });
  }

  /** One transaction for each: what is wrong with one holds up no other. A run was approved, so there is always room. */
  async runStandingOrders({ now, limit, run }: RunClaim): Promise<number> {
    for (let taken = 0; taken < limit; taken++) {
      const took = await this.#atomic(async (tx, tell) => {
        const [order] = await this.#tables.standingOrders.lockDue(tx, { now, limit: 1 });
        if (order === undefined) return false;
        const ran = run(order);
        await this.#tables.standingOrders.save(tx, [ran.order]);
        if (ran.draft) {
          await this.#tables.drafts.save(tx, [ran.draft]);
          tell(transferEvents(undefined, ran.draft));
        }
        return true;
      });
      if (!took) return taken;
    }
    return limit;
  }

  async dropClient(clientId: string): Promise<void> {
    const { drafts, baskets, standingOrders } = this.#tables;
    // First what would make payments of its own.
    for (const [table, but] of [
      [standingOrders, 'false'],
      [baskets, 'false'],
      [drafts, 'due_at IS NOT NULL'],
    ] as const)
      while ((await table.dropOf(this.#db.pool, clientId, { limit: DROP_BATCH, but })) === DROP_BATCH);
  }

  /** Forgets at most `limit` records of each table whose time is over. @returns whether there may be more */
  async sweep({ now, limit }: { now: Date; limit: number }): Promise<boolean> {
    this.#places.sweep(now);
    let more = false;
    for (const table of Object.values(this.#tables))
      if ((await table.dropLapsed(this.#db.pool, { now, limit })) === limit) more = true;
    return more;
  }

  async #findBasket(tx: Tx, { requestId, ...key }: BasketKey): Promise<Basket | undefined> {
    const [basket] = await this.#tables.baskets.find(tx, { ...key, ids: [requestId] });
    return basket;
  }

  async #findByInitiationKey(
    tx: Tx,
    { initiationKey, ...owner }: InitiationKey,
  ): Promise<Basket | undefined> {
    const basket = await this.#tables.baskets.findBy(tx, owner, {
      name: 'initiation',
      condition: 'initiation_key = $4',
      value: initiationKey,
    });
    const standsUntil = (basket?.createdAt.getTime() ?? -Infinity) + INITIATION_KEY_MS;
    return owner.now.getTime() < standsUntil ? basket : undefined;
  }

  async #keepDecision(
    tx: Tx,
    order: {
      clientId: string;
      organizationIdentifier: string;
      found: ReadonlyMap<string, Draft>;
      decision: Decision;
      now: Date;
    },
  ): Promise<void> {
    const { clientId, found, decision } = order;
    const { basket, drafts, standingOrder } = decision;
    const made = drafts.filter(({ draftId, status }) => !found.has(draftId) && status !== 'PENDING').length;
    await this.#places.take(tx, {
      ...order,
      entries: made + (basket.status === 'APPROVED' ? 0 : 1),
      written: 0,
    });
    await this.#tables.drafts.save(tx, drafts);
    await this.#tables.baskets.save(tx, [basket]);
    await tx.query({
      name: 'basket-payments',
      // Those of a basket that lapsed and had this id go with it.
      text: `WITH lapsed AS (DELETE FROM basket_payment WHERE client_id = $1 AND basket_id = $2)
             INSERT INTO basket_payment (payment_id, client_id, basket_id)
             SELECT payment_id, $1, $2 FROM unnest($3::uuid[]) AS payment_id`,
      values: [clientId, basket.requestId, basket.paymentIds],
    });
    if (standingOrder === undefined) return;
    await this.#requirePlaceForStandingOrder(tx, order);
    await this.#tables.standingOrders.save(tx, [standingOrder]);
  }

  /** Counted exactly: there are few, and each is a promise of many payments. */
  async #requirePlaceForStandingOrder(
    tx: Tx,
    { clientId, organizationIdentifier: organization }: { clientId: string; organizationIdentifier: string },
  ): Promise<void> {
    await tx.query({
      name: 'standing-order-places',
      text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
      values: [LOCK.standingOrders, organization],
    });
    const most = MOST_STANDING_ORDERS;
    const limit = most.ofOrganization;
    const live = await this.#tables.standingOrders.countOf(tx, { clientId, organization, limit });
    if (live.ofClient >= most.ofClient || live.ofOrganization >= most.ofOrganization)
      throw new ApiError('STATUS_INVALID', TEXTS('standing-orders-full'));
  }

  /** One transaction, with the events that `work` tells; a deadlock is tried again, with the same functions. */
  async #atomic<T>(work: (tx: Tx, tell: (events: readonly OutboxEvent[]) => void) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const events: OutboxEvent[] = [];
      try {
        const result = await inTransaction(this.#db, async (tx) => {
          const done = await work(tx, (told) => void events.push(...told));
          if (events.length > 0) await addToOutbox(tx, ...events);
          return done;
        });
        if (events.length > 0) this.#relay.wake();
        return result;
      } catch (error) {
        if (!isDeadlock(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }
}

/** Twins wait here for each other, before either has looked; in one order for all. */
async function lockInitiation(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.query({
    name: 'initiation-lock',
    text: `SELECT pg_advisory_xact_lock($1, hash)
           FROM (SELECT DISTINCT hashtext(name) AS hash FROM unnest($2::text[]) AS name ORDER BY hash) AS hashes`,
    values: [LOCK.initiation, names],
  });
}

const DEADLOCKS: readonly unknown[] = ['40P01', '40001'];

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DEADLOCKS.includes(error.code);
}
