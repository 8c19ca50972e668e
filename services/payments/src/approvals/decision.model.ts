import type { Basket } from '../baskets/basket.model.ts';
import type { Draft } from '../drafts/draft.model.ts';
import type { StandingOrder } from '../standing-orders/standing-order.model.ts';

/** What stands or falls with an approval; all of it changes together or not at all. */
export interface Decision {
  basket: Basket;
  drafts: readonly Draft[];
  standingOrder?: StandingOrder;
}
