import type { Basket } from '../basket.model.ts';
import type { Draft } from '../draft.model.ts';
import type { Owner } from '../owner.model.ts';

/** Identifies a basket by the requestId that its client chose. */
export interface BasketKey extends Owner {
  requestId: string;
  now: Date;
}

/** Stores signing baskets; the guarantees of `PaymentStore` apply. */
export interface BasketStore {
  /** The drafts of the list that exist, in any order. */
  findDrafts(keys: Owner & { draftIds: readonly string[]; now: Date }): Promise<Draft[]>;

  /**
   * Stores the basket that `decide` returns, with the drafts that it changed: all or nothing. If the client has a basket with
   * this requestId, returns that one without a decision, so one of concurrent twins decides. Undefined when another consent
   * created it.
   * @param approval.decide gets the existing drafts of `draftIds`, by id
   * @throws what `decide` throws; ApiError RATE_LIMITED when the client or its organization is over its quota
   */
  createBasket(
    approval: BasketKey & {
      organizationIdentifier: string;
      draftIds: readonly string[];
      decide: (drafts: ReadonlyMap<string, Draft>) => { basket: Basket; drafts: readonly Draft[] };
    },
  ): Promise<Basket | undefined>;

  findBasket(key: BasketKey): Promise<Basket | undefined>;

  /** The basket, if there is one, and the drafts of the list that exist, in any order, as of one moment. */
  findBasketAndDrafts(
    key: BasketKey & { draftIds: readonly string[] },
  ): Promise<{ basket?: Basket; drafts: Draft[] }>;
}
