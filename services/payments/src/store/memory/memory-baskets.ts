import type { Basket } from '../../baskets/basket.model.ts';
import { type BasketKey, isOwn, type Owner } from '../payment-store.ts';
import { Shelf } from './shelf.ts';

/** The baskets of all clients, found by requestId, by a payment of theirs, or by the unguessable part of their link. */
export class MemoryBaskets {
  readonly shelf: Shelf<Basket>;
  readonly #byApprovalId = new Map<string, Basket>();
  readonly #byPaymentId = new Map<string, Basket>();

  constructor({ lifetimeMs }: { lifetimeMs: number }) {
    this.shelf = new Shelf({
      lapsesAt: (basket) => basket.createdAt.getTime() + lifetimeMs,
      entries: (basket) => basket.draftIds.length,
      organization: ({ organizationIdentifier }) => organizationIdentifier,
      forgotten: (basket) => {
        this.#byApprovalId.delete(basket.approvalId);
        for (const paymentId of basket.paymentIds) this.#byPaymentId.delete(paymentId);
      },
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

  findByPaymentId({ paymentId, ...owner }: Owner & { paymentId: string; now: Date }): Basket | undefined {
    const basket = this.#byPaymentId.get(paymentId);
    if (basket?.clientId !== owner.clientId) return undefined;
    return this.find({ ...owner, requestId: basket.requestId });
  }

  save(basket: Basket): void {
    this.shelf.put(basket.clientId, basket.requestId, basket);
    this.#byApprovalId.set(basket.approvalId, basket);
    for (const paymentId of basket.paymentIds) this.#byPaymentId.set(paymentId, basket);
  }

  drop(clientId: string): void {
    this.shelf.drop(clientId, () => false);
  }
}
