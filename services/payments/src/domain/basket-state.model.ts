import type { Basket } from './basket.model.ts';
import type { Draft } from './draft.model.ts';
import type { StandingOrder } from './standing-order.model.ts';

/** A basket with the drafts and the standing order that its approval changes: all together or not at all. */
export interface BasketState {
  basket: Basket;
  drafts: readonly Draft[];
  standingOrder?: StandingOrder;
}
