import type { Basket } from '../../baskets/basket.model.ts';
import { type BasketKey, isOwn } from '../payment-store.ts';
import { Shelf } from './shelf.ts';

/** The baskets of all clients, found by requestId or by the unguessable part of their link. */
export class MemoryBaskets {
  readonly shelf: Shelf<Basket>;
  readonly #byApprovalId = new Map<string, Basket>();

  constructor({ lifetimeMs }: { lifetimeMs: number }) {
    this.shelf = new Shelf({
      lapsesAt: (basket) => basket.createdAt.getTime() + lifetimeMs,
      entries: (basket) => basket.draftIds.length,
      organization: ({ organizationIdentifier }) => organizationIdentifier,
      forgotten: (basket) => this.#byApprovalId.delete(basket.approvalId),
    });
  }

  find({ clientId, consentId, requestId, now }: BasketKey): Basket | undefined {
    const basket = this.shelf.find(clientId, requestId, now);
    return basket && isOwn(basket, { clientId, consentId }) ? basket : undefined;
  }

  findByApprovalId({ approvalId, now }: { approvalId: string; now: Date }): Basket | undefined {
    const basket = this.#byApprovalId.get(approvalId);
    return basket && this.find({ ...basket, now });
  }

  save(basket: Basket): void {
    this.shelf.put(basket.clientId, basket.requestId, basket);
    this.#byApprovalId.set(basket.approvalId, basket);
  }

  drop(clientId: string): void {
    this.shelf.drop(clientId, () => false);
  }
}
