import type { Db, Tx } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import type { OutboxEvent, Relay } from '@kontoport/events';
import { beginAsking } from '../../approvals/asking.model.ts';
import type { Decision } from '../../approvals/decision.model.ts';
import type { BasketKey } from '../../baskets/basket-store.ts';
import { type Basket, INITIATION_KEY_MS } from '../../baskets/basket.model.ts';
import type { DraftKey } from '../../drafts/draft-store.ts';
import { type Draft } from '../../drafts/draft.model.ts';
import { beginPosting } from '../../drafts/payment.model.ts';
import { decisionEvents, draftEvents, standingOrderEvents } from '../../events/payment-records.ts';
import type { StandingOrder } from '../../standing-orders/standing-order.model.ts';
import { isOwn, type Owner } from '../owner.model.ts';
import {
  type BasketDecision,
  type DueClaim,
  type InitiationKey,
  type PaymentKey,
  type PaymentListing,
  type PaymentStore,
  type RunClaim,
} from '../payment-store.ts';
import { DueRecords } from './claim-due.ts';
import { decide, type Deciding } from './decide.ts';
import { type OpenLimits, Places, requirePlaceForStandingOrder } from './places.ts';
import { isUuid, type RecordTable } from './record-table.ts';
import { selectSinglePayments } from './select-single-payments.ts';
import { findBasketAndDrafts, findDecision, openTables, type Retention, type Tables } from './tables.ts';
import { part, type Write, writeRecords } from './write-records.ts';

const DROP_BATCH = 5_000;

/**
 * The payment state of production, in PostgreSQL: whatever is written, events included, is written by one statement, so any number
 * of processes may share it, and one that dies leaves nothing half done (ADR 57, 66).
 * What holds more than one row does so in one order: baskets, drafts, standing orders, keys of events.
 */
export class PostgresPaymentStore implements PaymentStore {
  readonly #db: Pick<Db, 'pool'>;
  readonly #relay: Relay;
  readonly #tables: Tables;
  readonly #places: Places;
  readonly #dueDrafts: DueRecords<Draft>;
  readonly #dueBaskets: DueRecords<Basket>;

  constructor(options: { db: Pick<Db, 'pool'>; relay: Relay; limits: OpenLimits; retention: Retention }) {
    this.#db = options.db;
    this.#relay = options.relay;
    this.#tables = openTables(options.retention);
    const { drafts, baskets } = this.#tables;
    this.#dueDrafts = new DueRecords(drafts);
    this.#dueBaskets = new DueRecords(baskets);
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
    const { clientId, draftId, createdAt: now } = draft;
    const { drafts } = this.#tables;
    const write = {
      tables: [part(drafts, { made: [draft] })],
      events: draftEvents(undefined, draft),
      now,
    };
    const taking = { ...draft, entries: 1, now };
    try {
      return (await this.#writeWithin(this.#db.pool, taking, write)) ? 'created' : 'taken';
    } catch (error) {
      // A client that is full hears of its own id first.
      const [found] = isFull(error) ? await this.findDrafts({ clientId, draftIds: [draftId], now }) : [];
      if (found === undefined) throw error;
      return 'taken';
    }
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
    ...key
  }: DraftKey & { change: (draft: Draft) => Draft; seen?: Draft | undefined }): Promise<Draft | undefined> {
    return this.#update(this.#tables.drafts, { ...key, id: draftId, eventsOf: draftEvents });
  }

  async deleteDraft({
    draftId,
    judge,
    seen,
    ...key
  }: DraftKey & { judge: (draft: Draft) => void; seen?: Draft | undefined }): Promise<boolean> {
    const { drafts } = this.#tables;
    return this.#decide({
      seen,
      read: async (tx, reading) => (await drafts.find(tx, { ...key, ids: [draftId] }, reading))[0],
      plan: (draft) => {
        if (draft === undefined) return { result: false };
        judge(draft);
        return { result: true, write: (tx) => drafts.drop(tx, draft) };
      },
    });
  }

  async createBasket({
    seen,
    ...approval
  }: BasketKey & {
    organizationIdentifier: string;
    initiationKey?: string | undefined;
    draftIds: readonly string[];
    decide: (drafts: ReadonlyMap<string, Draft>) => Decision;
    seen?: readonly Draft[] | undefined;
  }): Promise<Basket | undefined> {
    const { clientId, requestId, initiationKey, draftIds, now } = approval;
    const whoever = { clientId, now };
    return this.#decide<{ existing?: Basket | undefined; drafts: readonly Draft[] }, Basket | undefined>({
      seen: seen && { drafts: seen },
      read: async (tx, reading) => {
        // The drafts before the basket: a twin that has changed them has written it.
        const drafts = await this.#tables.drafts.find(tx, { ...approval, ids: draftIds }, reading);
        const existing =
          (await this.#findBasket(tx, { ...whoever, requestId })) ??
          (initiationKey && (await this.#findByInitiationKey(tx, { ...whoever, initiationKey })));
        return { existing: existing || undefined, drafts };
      },
      plan: ({ existing, drafts }) => {
        if (existing) return { result: isOwn(existing, approval) ? existing : undefined };
        const found = new Map(drafts.map((draft) => [draft.draftId, draft]));
        const decision = approval.decide(found);
        const events = decisionEvents({ drafts: found }, decision);
        return {
          result: decision.basket,
          events,
          write: (tx) => this.#keepDecision(tx, { ...approval, found, decision, events }),
        };
      },
    });
  }

  async findBasket(key: BasketKey): Promise<Basket | undefined> {
    return this.#findBasket(this.#db.pool, key);
  }

  async findBasketAndDrafts(
    key: BasketKey & { draftIds: readonly string[] },
  ): Promise<{ basket?: Basket; drafts: Draft[] }> {
    return findBasketAndDrafts(this.#db.pool, key);
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
    return this.#decide<Decision | undefined, Decision | undefined>({
      read: async (tx, { hold }) => {
        // Whoever decides about a basket holds it first: what is read then is of one moment.
        if (hold) {
          const held = await baskets.findByApproval(tx, { approvalId, now }, { hold });
          if (held)
            await drafts.find(tx, { ...held, ids: held.draftIds, consentId: undefined, now }, { hold });
        }
        return findDecision(tx, { approvalId, now });
      },
      plan: (read) => {
        if (read === undefined) return { result: undefined };
        const result = decide(read);
        const before = new Map(read.drafts.map((draft) => [draft.draftId, draft]));
        const changed = result.drafts.filter((draft) => draft !== before.get(draft.draftId));
        const events = decisionEvents({ ...read, drafts: before }, result);
        const tables = [
          part(baskets, { read: [read.basket], changed: without([result.basket], read.basket) }),
          part(drafts, { read: read.drafts, changed }),
          part(standingOrders, {
            read: listOf(read.standingOrder),
            changed: without(listOf(result.standingOrder), read.standingOrder),
          }),
        ];
        if (tables.every((table) => table.changed.length === 0)) return { result };
        return { result, events, write: (tx) => writeRecords(tx, { tables, events, now }) };
      },
    });
  }

  async claimBaskets(claim: DueClaim): Promise<Basket[]> {
    if (claim.limit <= 0) return [];
    return this.#dueBaskets.claim(this.#db.pool, claim, (basket) => beginAsking(basket, claim));
  }

  async claimDue(claim: DueClaim): Promise<Draft[]> {
    if (claim.limit <= 0) return [];
    return this.#dueDrafts.claim(this.#db.pool, claim, (draft) => beginPosting(draft, claim));
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
    ...key
  }: PaymentKey & { change: (order: StandingOrder) => StandingOrder }): Promise<StandingOrder | undefined> {
    return this.#update(this.#tables.standingOrders, {
      ...key,
      id: paymentId,
      eventsOf: standingOrderEvents,
    });
  }

  /** A run was approved, so there is always room. What another process took meanwhile is passed by. */
  async runStandingOrders({ now, limit, run }: RunClaim): Promise<number> {
    const { drafts, standingOrders } = this.#tables;
    let taken = 0;
    for (const order of await standingOrders.findDue(this.#db.pool, { now, limit })) {
      const ran = run(order);
      const made = listOf(ran.draft);
      const events = made.flatMap((draft) => draftEvents(undefined, draft));
      const tables = [part(drafts, { made }), part(standingOrders, { read: [order], changed: [ran.order] })];
      if (!(await writeRecords(this.#db.pool, { tables, events, now }))) continue;
      taken += 1;
      if (events.length > 0) this.#relay.wake();
    }
    return taken;
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

  #update<T extends Draft | StandingOrder>(
    table: RecordTable<T>,
    update: Owner & {
      id: string;
      now: Date;
      change: (record: T) => T;
      seen?: T | undefined;
      eventsOf: (before: T, after: T) => readonly OutboxEvent[];
    },
  ): Promise<T | undefined> {
    const { id, change, seen, eventsOf, ...key } = update;
    return this.#decide<T | undefined, T | undefined>({
      seen,
      read: async (tx, reading) => (await table.find(tx, { ...key, ids: [id] }, reading))[0],
      plan: (record) => {
        if (record === undefined) return { result: undefined };
        const changed = change(record);
        if (changed === record) return { result: record };
        const events = eventsOf(record, changed);
        const tables = [part(table, { read: [record], changed: [changed] })];
        return { result: changed, events, write: (tx) => writeRecords(tx, { tables, events, ...key }) };
      },
    });
  }

  async #keepDecision(
    tx: Tx,
    order: {
      clientId: string;
      organizationIdentifier: string;
      found: ReadonlyMap<string, Draft>;
      decision: Decision;
      events: readonly OutboxEvent[];
      now: Date;
    },
  ): Promise<boolean> {
    const { found, decision, events, now } = order;
    const { basket, drafts, standingOrder } = decision;
    if (standingOrder !== undefined) {
      // The place is counted under a lock, which lasts as long as a transaction.
      if (tx === this.#db.pool) return false;
      await requirePlaceForStandingOrder(tx, { ...order, table: this.#tables.standingOrders });
    }
    const isKnown = ({ draftId }: Draft): boolean => found.has(draftId);
    const made = drafts.filter((draft) => !isKnown(draft));
    const open = made.filter(({ status }) => status !== 'PENDING').length;
    const entries = open + (basket.status === 'APPROVED' ? 0 : 1);
    const tables = [
      part(this.#tables.baskets, { made: [basket] }),
      part(this.#tables.drafts, { read: [...found.values()], changed: drafts.filter(isKnown), made }),
      part(this.#tables.standingOrders, { made: listOf(standingOrder) }),
    ];
    return this.#writeWithin(tx, { ...order, entries }, { tables, basket, events, now });
  }

  /** Writes what takes places, if there are so many. @throws ApiError RATE_LIMITED */
  async #writeWithin(
    tx: Tx,
    taking: { clientId: string; organizationIdentifier: string; entries: number; now: Date },
    write: Write,
  ): Promise<boolean> {
    const giveBack = await this.#places.take(tx, taking);
    let isWritten = false;
    try {
      isWritten = await writeRecords(tx, write);
    } finally {
      if (!isWritten) giveBack();
    }
    return isWritten;
  }

  #decide<Read, T>(deciding: Deciding<Read, T>): Promise<T> {
    return decide({ db: this.#db, relay: this.#relay }, deciding);
  }
}

function listOf<T>(item: T | undefined): T[] {
  return item === undefined ? [] : [item];
}

function without<T>(items: readonly T[], item: T | undefined): T[] {
  return items.filter((each) => each !== item);
}

function isFull(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'RATE_LIMITED';
}
