import { inTransaction, type Tx } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import type { OutboxEvent, Relay } from '@kontoport/events';
import { leaseApprovalRequest } from '../../domain/approval-request.model.ts';
import type { BasketState } from '../../domain/basket-state.model.ts';
import { type Basket, INITIATION_KEY_MS } from '../../domain/basket.model.ts';
import { basketEvents, draftEvents, standingOrderEvents } from '../../domain/change-events.ts';
import { type Draft } from '../../domain/draft.model.ts';
import { isOwn, type Owner } from '../../domain/owner.model.ts';
import { beginPosting } from '../../domain/payment.model.ts';
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
import type { Db } from '../../gen/db.ts';
import type { Prisma } from '../../gen/prisma/client.ts';
import { DueRecords } from './claim-due.ts';
import { type OpenItemLimits, OpenItemQuota, requireStandingOrderQuota } from './open-item-quota.ts';
import { decide } from './optimistic-transaction.ts';
import { isUuid, livesAt, ownedBy, recordsOf, type RecordTable, ROW } from './record-table.ts';
import { selectSinglePayments } from './select-single-payments.ts';
import { findBasketState, openTables, type Retention, type Tables } from './tables.ts';
import { part, type Write, WriteConflict, writeRecords } from './write-records.ts';

const DROP_BATCH = 5_000;

/**
 * The payment state of production, in PostgreSQL. A decision reads, decides and writes in a transaction, events included, on
 * the condition that nothing it read has changed (ADR-0026). So any number of processes may share it, and one that dies leaves
 * nothing half done. A transaction locks rows in one order: baskets, drafts, standing orders, keys of events.
 */
export class PostgresPaymentStore implements PaymentStore {
  readonly #db: Pick<Db, 'pool' | 'prisma'>;
  readonly #relay: Relay;
  readonly #tables: Tables;
  readonly #quota: OpenItemQuota;
  readonly #dueDrafts: DueRecords<Draft>;
  readonly #dueBaskets: DueRecords<Basket>;

  constructor(options: {
    db: Pick<Db, 'pool' | 'prisma'>;
    relay: Relay;
    limits: OpenItemLimits;
    retention: Retention;
  }) {
    this.#db = options.db;
    this.#relay = options.relay;
    this.#tables = openTables(options.retention);
    const { drafts, baskets } = this.#tables;
    this.#dueDrafts = new DueRecords(drafts);
    this.#dueBaskets = new DueRecords(baskets);
    this.#quota = new OpenItemQuota({
      limits: options.limits,
      count: async (owner) => {
        const inDrafts = await drafts.countOf(options.db.prisma, owner);
        const inBaskets = await baskets.countOf(options.db.prisma, owner);
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
    try {
      await this.#writeWithin({ ...draft, entries: 1, now }, write);
      return 'created';
    } catch (error) {
      if (error instanceof WriteConflict) return 'taken';
      // A client that is full hears of its own id first.
      const [found] = isFull(error) ? await this.findDrafts({ clientId, draftIds: [draftId], now }) : [];
      if (found === undefined) throw error;
      return 'taken';
    }
  }

  async findDraft({ draftId, ...key }: DraftKey): Promise<Draft | undefined> {
    const [draft] = await this.#tables.drafts.find(this.#db.prisma, { ...key, ids: [draftId] });
    return draft;
  }

  async findDrafts({
    draftIds,
    ...owner
  }: Owner & { draftIds: readonly string[]; now: Date }): Promise<Draft[]> {
    return this.#tables.drafts.find(this.#db.prisma, { ...owner, ids: draftIds });
  }

  async updateDraft({
    draftId,
    ...key
  }: DraftKey & { change: (draft: Draft) => Draft; seen?: Draft | undefined }): Promise<Draft | undefined> {
    return this.#update(this.#tables.drafts, { ...key, id: draftId, eventsOf: draftEvents });
  }

  async deleteDraft({
    check,
    seen,
    ...key
  }: DraftKey & { check: (draft: Draft) => void; seen?: Draft | undefined }): Promise<boolean> {
    return decide({
      seen,
      read: () => this.findDraft(key),
      plan: (draft) => {
        if (draft === undefined) return { result: false };
        check(draft);
        const write = async (): Promise<void> => {
          if (!(await this.#tables.drafts.drop(this.#db.prisma, draft))) throw new WriteConflict();
        };
        return { result: true, write };
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
    decide: (drafts: ReadonlyMap<string, Draft>) => BasketState;
    seen?: readonly Draft[] | undefined;
  }): Promise<Basket | undefined> {
    const { clientId, initiationKey, draftIds, now } = approval;
    return decide<{ existing?: Basket | undefined; drafts: readonly Draft[] }, Basket | undefined>({
      seen: seen && { drafts: seen },
      read: async () => {
        // The drafts before the basket: a twin that has changed them has written it.
        const drafts = await this.findDrafts({ ...approval, draftIds });
        // Whoever made them: another consent must not reuse their names.
        const own = await this.findBasket({ ...approval, consentId: undefined });
        if (own !== undefined || initiationKey === undefined) return { existing: own, drafts };
        return { existing: await this.findBasketByInitiationKey({ clientId, initiationKey, now }), drafts };
      },
      plan: ({ existing, drafts }) => {
        if (existing) return { result: isOwn(existing, approval) ? existing : undefined };
        const found = new Map(drafts.map((draft) => [draft.draftId, draft]));
        const decision = approval.decide(found);
        const events = basketEvents({ drafts: found }, decision);
        const write = () => this.#keepDecision({ ...approval, found, decision, events });
        return { result: decision.basket, write };
      },
    });
  }

  async findBasket({ requestId, ...owner }: BasketKey): Promise<Basket | undefined> {
    const [basket] = await this.#tables.baskets.find(this.#db.prisma, { ...owner, ids: [requestId] });
    return basket;
  }

  async findBasketAndDrafts(
    key: BasketKey & { draftIds: readonly string[] },
  ): Promise<{ basket?: Basket; drafts: Draft[] }> {
    // The drafts before the basket, as in `createBasket`.
    const drafts = await this.findDrafts(key);
    const basket = await this.findBasket(key);
    return { ...(basket && { basket }), drafts };
  }

  async findBasketByInitiationKey({ initiationKey, ...owner }: InitiationKey): Promise<Basket | undefined> {
    const basket = await this.#findBasketBy({ ...ownedBy(owner), initiationKey });
    const standsUntil = (basket?.createdAt.getTime() ?? -Infinity) + INITIATION_KEY_MS;
    return owner.now.getTime() < standsUntil ? basket : undefined;
  }

  async findBasketByPaymentId({ paymentId, ...owner }: PaymentKey): Promise<Basket | undefined> {
    if (!isUuid(paymentId)) return undefined;
    const { clientId } = owner;
    const made = await this.#db.prisma.basketPayment.findUnique({ where: { paymentId, clientId } });
    return made === null ? undefined : this.findBasket({ ...owner, requestId: made.basketId });
  }

  async findBasketByApprovalId({
    approvalId,
    now,
  }: {
    approvalId: string;
    now: Date;
  }): Promise<Basket | undefined> {
    return this.#findBasketBy({ approvalId, ...livesAt(now) });
  }

  async updateBasket({ approvalId, now, decide: check }: BasketUpdate): Promise<BasketState | undefined> {
    const { baskets, drafts, standingOrders } = this.#tables;
    return decide<BasketState | undefined, BasketState | undefined>({
      read: () => findBasketState(this.#db.pool, { approvalId, now }),
      plan: (read) => {
        if (read === undefined) return { result: undefined };
        const result = check(read);
        const before = new Map(read.drafts.map((draft) => [draft.draftId, draft]));
        const changed = result.drafts.filter((draft) => draft !== before.get(draft.draftId));
        const events = basketEvents({ ...read, drafts: before }, result);
        const tables = [
          part(baskets, { read: [read.basket], changed: without([result.basket], read.basket) }),
          part(drafts, { read: read.drafts, changed }),
          part(standingOrders, {
            read: listOf(read.standingOrder),
            changed: without(listOf(result.standingOrder), read.standingOrder),
          }),
        ];
        if (tables.every((table) => table.changed.length === 0)) return { result };
        return { result, write: () => this.#write({ tables, events, now }) };
      },
    });
  }

  async claimBaskets(claim: DueClaim): Promise<Basket[]> {
    if (claim.limit <= 0) return [];
    return this.#dueBaskets.claim(this.#db.pool, claim, (basket) => leaseApprovalRequest(basket, claim));
  }

  async claimDue(claim: DueClaim): Promise<Draft[]> {
    if (claim.limit <= 0) return [];
    return this.#dueDrafts.claim(this.#db.pool, claim, (draft) => beginPosting(draft, claim));
  }

  async listSinglePayments(listing: PaymentListing): Promise<Draft[]> {
    return selectSinglePayments(this.#db.pool, listing);
  }

  async findStandingOrder({ paymentId, ...key }: PaymentKey): Promise<StandingOrder | undefined> {
    const [order] = await this.#tables.standingOrders.find(this.#db.prisma, { ...key, ids: [paymentId] });
    return order;
  }

  async listStandingOrders(owner: Owner & { now: Date }): Promise<StandingOrder[]> {
    return this.#tables.standingOrders.listCounted(this.#db.prisma, owner);
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

  /** A run was approved, so there is always room. It skips what another process took meanwhile. */
  async runStandingOrders({ now, limit, run }: RunClaim): Promise<number> {
    const { drafts, standingOrders } = this.#tables;
    let taken = 0;
    for (const order of await standingOrders.findDue(this.#db.prisma, { now, limit })) {
      const ran = run(order);
      const made = listOf(ran.draft);
      const events = made.flatMap((draft) => draftEvents(undefined, draft));
      const tables = [part(drafts, { made }), part(standingOrders, { read: [order], changed: [ran.order] })];
      try {
        await this.#write({ tables, events, now });
        taken += 1;
      } catch (error) {
        if (!(error instanceof WriteConflict)) throw error;
      }
    }
    return taken;
  }

  async dropClient(clientId: string): Promise<void> {
    const { drafts, baskets, standingOrders } = this.#tables;
    // First what would make payments of its own.
    for (const table of [standingOrders, baskets, drafts])
      while ((await table.dropOf(this.#db.prisma, clientId, DROP_BATCH)) === DROP_BATCH);
  }

  /** Forgets at most `limit` records of each table whose time is over. @returns whether there may be more */
  async sweep({ now, limit }: { now: Date; limit: number }): Promise<boolean> {
    this.#quota.sweep(now);
    let more = false;
    for (const table of Object.values(this.#tables))
      if ((await table.dropLapsed(this.#db.pool, { now, limit })) === limit) more = true;
    return more;
  }

  async #findBasketBy(where: Prisma.BasketWhereInput): Promise<Basket | undefined> {
    const rows = await this.#db.prisma.basket.findMany({ where, take: 1, select: ROW });
    return recordsOf<Basket>(rows)[0];
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
    return decide<T | undefined, T | undefined>({
      seen,
      read: async () => (await table.find(this.#db.prisma, { ...key, ids: [id] }))[0],
      plan: (record) => {
        if (record === undefined) return { result: undefined };
        const changed = change(record);
        if (changed === record) return { result: record };
        const events = eventsOf(record, changed);
        const tables = [part(table, { read: [record], changed: [changed] })];
        return { result: changed, write: () => this.#write({ tables, events, now: key.now }) };
      },
    });
  }

  async #keepDecision(order: {
    clientId: string;
    organizationIdentifier: string;
    found: ReadonlyMap<string, Draft>;
    decision: BasketState;
    events: readonly OutboxEvent[];
    now: Date;
  }): Promise<void> {
    const { found, decision, events, now } = order;
    const { basket, drafts, standingOrder } = decision;
    const isKnown = ({ draftId }: Draft): boolean => found.has(draftId);
    const made = drafts.filter((draft) => !isKnown(draft));
    const open = made.filter(({ status }) => status !== 'PENDING').length;
    const entries = open + (basket.status === 'APPROVED' ? 0 : 1);
    const tables = [
      part(this.#tables.baskets, { made: [basket] }),
      part(this.#tables.drafts, { read: [...found.values()], changed: drafts.filter(isKnown), made }),
      part(this.#tables.standingOrders, { made: listOf(standingOrder) }),
    ];
    await this.#writeWithin({ ...order, entries }, { tables, basket, events, now }, async (tx) => {
      if (standingOrder !== undefined) await requireStandingOrderQuota(tx, order);
    });
  }

  /** Writes what takes places, if there are so many. @throws ApiError RATE_LIMITED; whatever `check` and the write throw */
  async #writeWithin(
    taking: { clientId: string; organizationIdentifier: string; entries: number; now: Date },
    write: Write,
    check?: (tx: Tx) => Promise<void>,
  ): Promise<void> {
    const release = await this.#quota.reserve(taking);
    try {
      await this.#write(write, check);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** @param check runs first, in the same transaction */
  async #write(write: Write, check?: (tx: Tx) => Promise<void>): Promise<void> {
    await inTransaction(this.#db, async (tx) => {
      await check?.(tx);
      await writeRecords(tx, write);
    });
    if (write.events.length > 0) this.#relay.wake();
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
