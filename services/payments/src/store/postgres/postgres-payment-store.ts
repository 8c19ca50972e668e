import { inTransaction } from '@kontoport/database';
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
import { decideLocked, isWriteConflict, type Transact, type Transaction } from './decide-locked.ts';
import {
  countOpenItems,
  type OpenItemLimits,
  OpenItemQuota,
  requireStandingOrderQuota,
} from './open-item-quota.ts';
import { isUuid, livesAt, ownedBy, recordsOf, type RecordTable, ROW, WriteConflict } from './record-table.ts';
import { selectSinglePayments } from './select-single-payments.ts';
import { findTwin, lockBasketState, openTables, type Retention, type Tables } from './tables.ts';
import { type RecordWrite, writeRecords } from './write-records.ts';

const DROP_BATCH = 5_000;

type Given<Method extends keyof PaymentStore> = Parameters<PaymentStore[Method]>[0];

/**
 * Stores the payments of production in PostgreSQL. A transaction locks what it reads, and writes a decision with its events
 * (ADR-0026). So any number of processes may share it, and one that dies leaves nothing half done. A transaction locks rows in
 * one order: baskets, drafts, standing orders, keys of events.
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
    this.#quota = new OpenItemQuota({ limits: options.limits, count: countOpenItems });
  }

  async createDraft(draft: Draft): Promise<'created' | 'taken'> {
    const { clientId, draftId, createdAt: now } = draft;
    const { drafts } = this.#tables;
    const write = {
      tables: [drafts.write({ made: [draft] })],
      events: draftEvents(undefined, draft),
      now,
    };
    try {
      await this.#transact((open) => this.#writeWithin(open, { ...draft, entries: 1, now }, write));
      return 'created';
    } catch (error) {
      if (error instanceof WriteConflict) return 'taken';
      // A taken id is reported before a full quota.
      const [found] = isFull(error) ? await this.findDrafts({ clientId, draftIds: [draftId], now }) : [];
      if (found === undefined) throw error;
      return 'taken';
    }
  }

  async findDraft({ draftId, ...key }: DraftKey): Promise<Draft | undefined> {
    const [draft] = await this.#tables.drafts.find(this.#db.prisma, { ...key, ids: [draftId] });
    return draft;
  }

  async findDrafts({ draftIds, ...owner }: Given<'findDrafts'>): Promise<Draft[]> {
    return this.#tables.drafts.find(this.#db.prisma, { ...owner, ids: draftIds });
  }

  async updateDraft({ draftId, ...key }: Given<'updateDraft'>): Promise<Draft | undefined> {
    return this.#update(this.#tables.drafts, { ...key, id: draftId, eventsOf: draftEvents });
  }

  async deleteDraft({ check, ...key }: Given<'deleteDraft'>): Promise<boolean> {
    const { drafts } = this.#tables;
    return decideLocked(this.#transact, {
      lock: async (tx) => (await drafts.lock(tx, { ...key, ids: [key.draftId] }))[0],
      plan: (draft) => {
        if (draft === undefined) return { result: false };
        check(draft);
        return { result: true, write: ({ tx }) => drafts.drop(tx, draft) };
      },
    });
  }

  async createBasket(approval: Given<'createBasket'>): Promise<Basket | undefined> {
    return decideLocked<{ existing?: Basket | undefined; drafts: Draft[] }, Basket | undefined>(
      this.#transact,
      {
        lock: async (tx) => {
          // Drafts before the basket: a twin writes both in one transaction, so changed drafts imply its basket.
          const drafts = await this.#tables.drafts.lock(tx, { ...approval, ids: approval.draftIds });
          return { existing: await findTwin(tx, approval), drafts };
        },
        plan: ({ existing, drafts }) => {
          if (existing) return { result: isOwn(existing, approval) ? existing : undefined };
          const found = new Map(drafts.map((draft) => [draft.draftId, draft]));
          const state = approval.decide(found);
          const events = basketEvents({ drafts: found }, state);
          return {
            result: state.basket,
            write: (open) => this.#writeBasket(open, { ...approval, found, state, events }),
          };
        },
      },
    );
  }

  async findBasket({ requestId, ...owner }: BasketKey): Promise<Basket | undefined> {
    const [basket] = await this.#tables.baskets.find(this.#db.prisma, { ...owner, ids: [requestId] });
    return basket;
  }

  async findBasketAndDrafts(
    key: Given<'findBasketAndDrafts'>,
  ): Promise<{ basket?: Basket; drafts: Draft[] }> {
    // The drafts before the basket, as in `createBasket`.
    const drafts = await this.findDrafts(key);
    const basket = await this.findBasket(key);
    return { ...(basket && { basket }), drafts };
  }

  async findBasketByInitiationKey({ initiationKey, ...owner }: InitiationKey): Promise<Basket | undefined> {
    const basket = await this.#findBasketBy({ ...ownedBy(owner), initiationKey });
    const validUntil = (basket?.createdAt.getTime() ?? -Infinity) + INITIATION_KEY_MS;
    return owner.now.getTime() < validUntil ? basket : undefined;
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
  }: Given<'findBasketByApprovalId'>): Promise<Basket | undefined> {
    return this.#findBasketBy({ approvalId, ...livesAt(now) });
  }

  async updateBasket({ approvalId, now, decide }: BasketUpdate): Promise<BasketState | undefined> {
    const { baskets, drafts, standingOrders } = this.#tables;
    return decideLocked<BasketState | undefined, BasketState | undefined>(this.#transact, {
      lock: (tx) => lockBasketState(tx, this.#tables, { approvalId, now }),
      plan: (read) => {
        if (read === undefined) return { result: undefined };
        const result = decide(read);
        const before = new Map(read.drafts.map((draft) => [draft.draftId, draft]));
        const changed = result.drafts.filter((draft) => draft !== before.get(draft.draftId));
        const events = basketEvents({ ...read, drafts: before }, result);
        const tables = [
          baskets.write({ changed: without([result.basket], read.basket) }),
          drafts.write({ changed }),
          standingOrders.write({ changed: without(listOf(result.standingOrder), read.standingOrder) }),
        ];
        if (tables.every(({ isChange }) => !isChange)) return { result };
        return { result, write: (open) => this.#write(open, { tables, events, now }) };
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
  }: Given<'updateStandingOrder'>): Promise<StandingOrder | undefined> {
    return this.#update(this.#tables.standingOrders, {
      ...key,
      id: paymentId,
      eventsOf: standingOrderEvents,
    });
  }

  /**
   * Makes the runs that are due; a run was approved, so no quota applies. A standing order that another process has taken, or
   * whose transaction ends in a deadlock, waits for the next call.
   */
  async runStandingOrders({ now, limit, run }: RunClaim): Promise<number> {
    const { drafts, standingOrders } = this.#tables;
    let taken = 0;
    for (const order of await standingOrders.findDue(this.#db.prisma, { now, limit })) {
      const ran = run(order);
      const made = listOf(ran.draft);
      const events = made.flatMap((draft) => draftEvents(undefined, draft));
      const tables = [drafts.write({ made })];
      try {
        taken += await this.#transact(async (open) => {
          const { length } = await standingOrders.writeUnchanged(open.tx, [order], [ran.order]);
          if (length > 0) await this.#write(open, { tables, events, now });
          return length;
        });
      } catch (error) {
        if (!isWriteConflict(error)) throw error;
      }
    }
    return taken;
  }

  async dropClient(clientId: string): Promise<void> {
    const { drafts, baskets, standingOrders } = this.#tables;
    // Standing orders first: they would create new payments.
    for (const table of [standingOrders, baskets, drafts])
      while ((await table.dropOf(this.#db.prisma, clientId, DROP_BATCH)) === DROP_BATCH);
  }

  /** Deletes at most `limit` expired records of each table. @returns whether there may be more */
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
      eventsOf: (before: T, after: T) => readonly OutboxEvent[];
    },
  ): Promise<T | undefined> {
    const { id, change, eventsOf, ...key } = update;
    return decideLocked<T | undefined, T | undefined>(this.#transact, {
      lock: async (tx) => (await table.lock(tx, { ...key, ids: [id] }))[0],
      plan: (record) => {
        if (record === undefined) return { result: undefined };
        const changed = change(record);
        if (changed === record) return { result: record };
        const events = eventsOf(record, changed);
        const tables = [table.write({ changed: [changed] })];
        return { result: changed, write: (open) => this.#write(open, { tables, events, now: key.now }) };
      },
    });
  }

  async #writeBasket(
    open: Transaction,
    order: {
      clientId: string;
      organizationIdentifier: string;
      found: ReadonlyMap<string, Draft>;
      state: BasketState;
      events: readonly OutboxEvent[];
      now: Date;
    },
  ): Promise<void> {
    const { found, state, events, now } = order;
    const { basket, drafts, standingOrder } = state;
    const isKnown = ({ draftId }: Draft): boolean => found.has(draftId);
    const made = drafts.filter((draft) => !isKnown(draft));
    const openDrafts = made.filter(({ status }) => status !== 'PENDING').length;
    const entries = openDrafts + (basket.status === 'APPROVED' ? 0 : 1);
    const tables = [
      this.#tables.baskets.write({ made: [basket] }),
      this.#tables.drafts.write({ changed: drafts.filter(isKnown), made }),
      this.#tables.standingOrders.write({ made: listOf(standingOrder) }),
    ];
    if (standingOrder !== undefined) await requireStandingOrderQuota(open.tx, order);
    await this.#writeWithin(open, { ...order, entries }, { tables, basket, events, now });
  }

  /** Writes open items within the quota. @throws ApiError RATE_LIMITED; the errors of the write */
  async #writeWithin(
    open: Transaction,
    order: { clientId: string; organizationIdentifier: string; entries: number; now: Date },
    write: RecordWrite,
  ): Promise<void> {
    open.onRollback.push(await this.#quota.reserve(open.tx, order));
    await this.#write(open, write);
  }

  async #write({ tx, onCommit }: Transaction, write: RecordWrite): Promise<void> {
    await writeRecords(tx, write);
    if (write.events.length > 0) onCommit.push(() => this.#relay.wake());
  }

  readonly #transact: Transact = async (work) => {
    const onCommit: (() => void)[] = [];
    const onRollback: (() => void)[] = [];
    try {
      const result = await inTransaction(this.#db, (tx) => work({ tx, onCommit, onRollback }));
      for (const done of onCommit) done();
      return result;
    } catch (error) {
      for (const undo of onRollback) undo();
      throw error;
    }
  };
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
