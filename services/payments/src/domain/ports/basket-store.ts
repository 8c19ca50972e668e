import type { Basket } from '../basket.model.ts';
import type { Draft } from '../draft.model.ts';
import type { Owner } from '../owner.model.ts';

/** Names a basket in the same way. */
export interface BasketKey extends Owner {
  requestId: string;
  now: Date;
}

/** Where signing baskets are kept; all of `PaymentStore` holds for it. */
export interface BasketStore {
  /** The drafts of the list that exist, in any order. */
  findDrafts(keys: Owner & { draftIds: readonly string[]; now: Date }): Promise<Draft[]>;

  /**
   * Keeps the basket that `decide` makes, with the drafts that it changed: all or nothing. Where the client has a basket with this
   * requestId, that one is handed back and `decide` is not asked; so of concurrent twins one decides. Undefined when it was made
   * under another consent.
   * @param approval.decide gets those of `draftIds` that exist, by id
   * @param approval.seen those of `draftIds` that exist, where there was no such basket then
   * @throws what `decide` throws; ApiError RATE_LIMITED when the client, or its organization, keeps too much already
   */
  createBasket(
    approval: BasketKey & {
      organizationIdentifier: string;
      draftIds: readonly string[];
      decide: (drafts: ReadonlyMap<string, Draft>) => { basket: Basket; drafts: readonly Draft[] };
      seen?: readonly Draft[] | undefined;
    },
  ): Promise<Basket | undefined>;

  findBasket(key: BasketKey): Promise<Basket | undefined>;

  /** The basket, if there is one, and the drafts of the list that exist, in any order, as of one moment. */
  findBasketAndDrafts(
    key: BasketKey & { draftIds: readonly string[] },
  ): Promise<{ basket?: Basket; drafts: Draft[] }>;
}
