import type { KeyedCounter } from '@kontoport/fairness';
import type { BasketState } from '../basket-state.model.ts';
import type { Basket } from '../basket.model.ts';
import type { Draft, PaymentPosition } from '../draft.model.ts';
import type { Owner } from '../owner.model.ts';
import type { Run, StandingOrder } from '../standing-order.model.ts';
import type { BasketKey, BasketStore } from './basket-store.ts';
import type { DraftStore } from './draft-store.ts';

/** Names a basket by what initiated it. */
export interface InitiationKey extends Owner {
  initiationKey: string;
  now: Date;
}

/** Names a payment or a standing order by the id that it got from us. */
export interface PaymentKey extends Owner {
  paymentId: string;
  now: Date;
}

/** What is decided about the basket behind an approval link. */
export interface BasketUpdate {
  approvalId: string;
  now: Date;
  decide: (found: BasketState) => BasketState;
}

/** How many are taken, and how many of one organization. */
export interface DueClaim {
  now: Date;
  limit: number;
  /** In the hands of the caller at a time, those of `inFlight` included. */
  limitPerOrganization: number;
  /** What the caller has in its hands already, by organizationIdentifier. */
  inFlight: Pick<KeyedCounter, 'of' | 'entries'>;
  leaseMs: number;
}

/** Which single payments are asked for, of one payment type. */
export interface PaymentListing extends Owner {
  paymentType: string;
  /** Those behind this one, which may be gone; absent: from the newest on. */
  after?: PaymentPosition | undefined;
  /** At most so many. */
  limit: number;
  now: Date;
}

/** How many standing orders are taken, and what comes of each. */
export interface RunClaim {
  now: Date;
  limit: number;
  run: (order: StandingOrder) => Run;
}

/**
 * Where drafts, payments, standing orders and signing baskets are kept. Every call names the owner of what it touches, and is
 * atomic; the functions given to it are pure, are called with the present state, and may be called again. What is `seen` was
 * handed out by the store before: it spares reading it again, where it has not changed since.
 * `test/payment-store.conformance.ts` and `test/initiations.conformance.ts` are what an implementation must fulfil.
 */
export interface PaymentStore extends DraftStore, BasketStore {
  /**
   * As of `BasketStore`; the decision may also make drafts, and a standing order, and a basket that was made by this `initiationKey`
   * within INITIATION_KEY_MS is handed back like one with this requestId.
   * @param approval.initiationKey the key of `initiatedBy`
   * @throws also ApiError STATUS_INVALID (409) for a standing order beyond MAX_STANDING_ORDERS
   */
  createBasket(
    approval: BasketKey & {
      organizationIdentifier: string;
      initiationKey?: string | undefined;
      draftIds: readonly string[];
      decide: (drafts: ReadonlyMap<string, Draft>) => BasketState;
      seen?: readonly Draft[] | undefined;
    },
  ): Promise<Basket | undefined>;

  /** The basket that was made by this key within INITIATION_KEY_MS. */
  findBasketByInitiationKey(key: InitiationKey): Promise<Basket | undefined>;

  /** The basket that made the payment, also when the payment was cancelled since. */
  findBasketByPaymentId(key: PaymentKey): Promise<Basket | undefined>;

  /** The basket behind an approval link, which itself is the proof of access. */
  findBasketByApprovalId(key: { approvalId: string; now: Date }): Promise<Basket | undefined>;

  /**
   * Replaces the basket behind an approval link, its drafts and its standing order by what `decide` makes of them: all or
   * nothing. What `decide` hands back as it was is not written; whatever it throws leaves all as it was.
   * Undefined when there is no such basket.
   * @param decision.decide gets the drafts of the basket that exist, in any order, and the standing order that it is about
   */
  updateBasket(decision: BasketUpdate): Promise<BasketState | undefined>;

  /**
   * Takes baskets that wait for their user and are due (`asking.dueAt`), as `claimDue` takes payments, and begins to look
   * at them.
   */
  claimBaskets(claim: DueClaim): Promise<Basket[]>;

  /**
   * Takes payments that are due and begins their posting; each goes to one caller per `leaseMs`. It goes round by
   * organization, and takes those of one in the order in which they are due.
   */
  claimDue(claim: DueClaim): Promise<Draft[]>;

  /** The single payments of the owner, newest first, those of one moment by their ids; deleted ones are none of them. */
  listSinglePayments(listing: PaymentListing): Promise<Draft[]>;

  findStandingOrder(key: PaymentKey): Promise<StandingOrder | undefined>;

  /** The standing orders of the owner that are live, in the order in which they were made. */
  listStandingOrders(owner: Owner & { now: Date }): Promise<StandingOrder[]>;

  /** Replaces the standing order by `change(order)`, as `updateDraft` does a draft. */
  updateStandingOrder(
    key: PaymentKey & { change: (order: StandingOrder) => StandingOrder },
  ): Promise<StandingOrder | undefined>;

  /**
   * Takes standing orders that are due, those that have waited longest first, at most `limit`: replaces each by what `run` makes of
   * it and keeps its run, both or neither. Two callers never take the same one. Where there is no room for a run, the standing
   * order waits for a minute.
   * @returns how many it took
   */
  runStandingOrders(claim: RunClaim): Promise<number>;

  /** Forgets what a deleted client kept, but for payments that its users approved and that are not settled yet. */
  dropClient(clientId: string): Promise<void>;
}
