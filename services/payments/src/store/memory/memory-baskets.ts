import { leaseApprovalRequest, openApprovalRequest } from '../../domain/approval-request.model.ts';
import { type Basket, INITIATION_KEY_MS } from '../../domain/basket.model.ts';
import { isOwn } from '../../domain/owner.model.ts';
import type { BasketKey } from '../../domain/ports/basket-store.ts';
import { type DueClaim, type InitiationKey, type PaymentKey } from '../../domain/ports/payment-store.ts';
import { ExpiringCollection } from './expiring-collection.ts';
import { RoundRobinQueue } from './round-robin-queue.ts';

/** The baskets of all clients, found by requestId, by a payment of theirs, by what initiated them, or by the unguessable part of their link. */
export class MemoryBaskets {
  readonly collection: ExpiringCollection<Basket>;
  readonly #byApprovalId = new Map<string, Basket>();
  readonly #byPaymentId = new Map<string, Basket>();
  readonly #byInitiationKey = new Map<string, Basket>();
  readonly #due = new RoundRobinQueue<{ approvalId: string }>();

  constructor({ lifetimeMs }: { lifetimeMs: number }) {
    this.collection = new ExpiringCollection({
      lapsesAt: (basket) => basket.createdAt.getTime() + lifetimeMs,
      entries: ({ draftIds }) => basketEntries(draftIds),
      organization: ({ organizationIdentifier }) => organizationIdentifier,
      forgotten: (basket) => {
        this.#due.remove(basket.organizationIdentifier, basket.approvalId);
        this.#byApprovalId.delete(basket.approvalId);
        for (const paymentId of basket.paymentIds) this.#byPaymentId.delete(paymentId);
        const key = initiationKeyOf(basket);
        if (key !== undefined && this.#byInitiationKey.get(key)?.requestId === basket.requestId)
          this.#byInitiationKey.delete(key);
      },
    });
  }

  /** Those that wait for their user. */
  get waiting(): number {
    return this.#due.size;
  }

  find({ clientId, consentId, requestId, now }: BasketKey): Basket | undefined {
    const basket = this.collection.find(clientId, requestId, now);
    return basket && isOwn(basket, { clientId, consentId }) ? basket : undefined;
  }

  findByApprovalId({ approvalId, now }: { approvalId: string; now: Date }): Basket | undefined {
    const basket = this.#byApprovalId.get(approvalId);
    return basket && this.find({ ...basket, now });
  }

  findByInitiationKey({ initiationKey, ...owner }: InitiationKey): Basket | undefined {
    const basket = this.#byInitiationKey.get(keyOf(owner.clientId, initiationKey));
    if (basket === undefined) return undefined;
    if (basket.createdAt.getTime() + INITIATION_KEY_MS <= owner.now.getTime()) return undefined;
    return this.find({ ...owner, requestId: basket.requestId });
  }

  findByPaymentId({ paymentId, ...owner }: PaymentKey): Basket | undefined {
    const basket = this.#byPaymentId.get(paymentId);
    if (basket?.clientId !== owner.clientId) return undefined;
    return this.find({ ...owner, requestId: basket.requestId });
  }

  save(basket: Basket): void {
    this.collection.put(basket.clientId, basket.requestId, basket);
    this.#index(basket);
  }

  /** Replaces a basket without renewing its expiry. */
  replace(basket: Basket): void {
    this.collection.replace(basket.clientId, basket.requestId, basket);
    this.#index(basket);
  }

  #index(basket: Basket): void {
    const { organizationIdentifier, approvalId, paymentIds } = basket;
    this.#byApprovalId.set(approvalId, basket);
    for (const paymentId of paymentIds) this.#byPaymentId.set(paymentId, basket);
    const key = initiationKeyOf(basket);
    if (key !== undefined) this.#byInitiationKey.set(key, basket);
    const request = openApprovalRequest(basket);
    if (request === undefined) return this.#due.remove(organizationIdentifier, approvalId);
    const at = request.dueAt.getTime();
    this.#due.put(organizationIdentifier, { at, key: approvalId, item: { approvalId } });
  }

  claim({ leaseMs, ...claim }: DueClaim): Basket[] {
    const { now } = claim;
    return this.#due.claim({
      ...claim,
      take: ({ item: { approvalId } }) => {
        const basket = this.findByApprovalId({ approvalId, now });
        if (basket === undefined) return undefined;
        const looking = leaseApprovalRequest(basket, { now, leaseMs });
        this.replace(looking);
        return looking;
      },
    });
  }

  drop(clientId: string): void {
    this.collection.drop(clientId, () => false);
  }
}

/** The entries of a basket in the quotas. */
export function basketEntries(draftIds: readonly string[]): number {
  return Math.max(1, draftIds.length);
}

function initiationKeyOf({ clientId, initiatedBy }: Basket): string | undefined {
  return initiatedBy?.key === undefined ? undefined : keyOf(clientId, initiatedBy.key);
}

/** Neither part has a blank. */
function keyOf(clientId: string, initiationKey: string): string {
  return `${clientId} ${initiationKey}`;
}
