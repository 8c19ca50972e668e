import type { Basket } from './basket.model.ts';
import type { Draft } from './draft.model.ts';
import type { StandingOrder } from './standing-order.model.ts';

/** What stands or falls with an approval; all of it changes together or not at all. */
export interface BasketState {
  basket: Basket;
  drafts: readonly Draft[];
  standingOrder?: StandingOrder;
}
