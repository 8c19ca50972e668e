import type { KeyedCounter } from '@kontoport/fairness';
import type { BasketState } from '../basket-state.model.ts';
import type { Basket } from '../basket.model.ts';
import type { Draft, PaymentPosition } from '../draft.model.ts';
import type { Owner } from '../owner.model.ts';
import type { Run, StandingOrder } from '../standing-order.model.ts';
import type { BasketKey, BasketStore } from './basket-store.ts';
import type { DraftStore } from './draft-store.ts';

/** Identifies a basket by the X-Request-Id of its initiation. */
export interface InitiationKey extends Owner {
  initiationKey: string;
  now: Date;
}

/** Identifies a payment or a standing order by its paymentId. */
export interface PaymentKey extends Owner {
  paymentId: string;
  now: Date;
}

/** An update of the basket behind an approval link. */
export interface BasketUpdate {
  approvalId: string;
  now: Date;
  decide: (found: BasketState) => BasketState;
}

/** Limits of one claim. */
export interface DueClaim {
  now: Date;
  limit: number;
  /** Most items of one organization in work at a time, `inFlight` included. */
  limitPerOrganization: number;
  /** Items that the caller works on already, by organizationIdentifier. */
  inFlight: Pick<KeyedCounter, 'of' | 'entries'>;
  leaseMs: number;
}

/** A page of the single payments of one payment type. */
export interface PaymentListing extends Owner {
  paymentType: string;
  /** The payment before the page, which may no longer exist; absent: the first page. */
  after?: PaymentPosition | undefined;
  /** Maximum number of payments. */
  limit: number;
  now: Date;
}

/** A claim of due standing orders. */
export interface RunClaim {
  now: Date;
  limit: number;
  run: (order: StandingOrder) => Run;
}

/**
 * Stores drafts, payments, standing orders and signing baskets. Every call names the owner and is atomic. The functions given
 * to it are pure, get the present state and may be called again.
 * Every implementation passes `test/payment-store.conformance.ts` and `test/initiations.conformance.ts`.
 */
export interface PaymentStore extends DraftStore, BasketStore {
  /**
   * Like `BasketStore.createBasket`; `decide` may also create drafts and a standing order. A basket that the same
   * `initiationKey` created within INITIATION_KEY_MS is returned like one with this requestId.
   * @param approval.initiationKey the key of `initiatedBy`
   * @throws also ApiError STATUS_INVALID (409) for a standing order beyond MAX_STANDING_ORDERS
   */
  createBasket(
    approval: BasketKey & {
      organizationIdentifier: string;
      initiationKey?: string | undefined;
      draftIds: readonly string[];
      decide: (drafts: ReadonlyMap<string, Draft>) => BasketState;
    },
  ): Promise<Basket | undefined>;

  /** The basket that was made by this key within INITIATION_KEY_MS. */
  findBasketByInitiationKey(key: InitiationKey): Promise<Basket | undefined>;

  /** The basket that made the payment, also when the payment was cancelled since. */
  findBasketByPaymentId(key: PaymentKey): Promise<Basket | undefined>;

  /** The basket behind an approval link, which itself is the proof of access. */
  findBasketByApprovalId(key: { approvalId: string; now: Date }): Promise<Basket | undefined>;

  /**
   * Updates the basket behind an approval link with its drafts and its standing order: all or nothing. Records that `decide`
   * returns unchanged are not written; if it throws, nothing changes. Undefined when there is no such basket.
   * @param decision.decide gets the drafts of the basket that exist, in any order, and the standing order that it is about
   */
  updateBasket(decision: BasketUpdate): Promise<BasketState | undefined>;

  /**
   * Claims baskets that wait for their user and are due (`approvalRequest.dueAt`), as `claimDue` claims payments.
   */
  claimBaskets(claim: DueClaim): Promise<Basket[]>;

  /**
   * Claims due payments and begins their posting; each goes to one caller per `leaseMs`. Round robin by organization, and by
   * due time within one.
   */
  claimDue(claim: DueClaim): Promise<Draft[]>;

  /** Lists the single payments of the owner, newest first, then by id; without deleted ones. */
  listSinglePayments(listing: PaymentListing): Promise<Draft[]>;

  findStandingOrder(key: PaymentKey): Promise<StandingOrder | undefined>;

  /** The standing orders of the owner that are live, in the order in which they were made. */
  listStandingOrders(owner: Owner & { now: Date }): Promise<StandingOrder[]>;

  /** Replaces the standing order by `change(order)`, as `updateDraft` does a draft. */
  updateStandingOrder(
    key: PaymentKey & { change: (order: StandingOrder) => StandingOrder },
  ): Promise<StandingOrder | undefined>;

  /**
   * Runs due standing orders, the longest due first, at most `limit`: stores the order and its run together or not at all. Two
   * callers never run the same one. If the quota leaves no room for a run, the standing order waits for a minute.
   * @returns the number of runs
   */
  runStandingOrders(claim: RunClaim): Promise<number>;

  /** Deletes all records of a deleted client, except payments that its users approved and that are not settled yet. */
  dropClient(clientId: string): Promise<void>;
}
