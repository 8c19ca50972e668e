import { KeyedCounter } from '@kontoport/fairness';
import { isOwn, type Owner } from '../../domain/owner.model.ts';
import { type PaymentKey } from '../../domain/ports/payment-store.ts';
import { isLive, type StandingOrder } from '../../domain/standing-order.model.ts';
import { DueQueue } from './due-queue.ts';
import { ExpiringCollection } from './expiring-collection.ts';

/** The standing orders of all clients, and which of them is due next; one that is live does not lapse. */
export class MemoryStandingOrders {
  readonly collection: ExpiringCollection<StandingOrder>;
  readonly #due = new DueQueue<Pick<StandingOrder, 'clientId' | 'paymentId'>>();
  readonly #liveOfClient = new KeyedCounter();
  readonly #liveOfOrganization = new KeyedCounter();

  constructor({ lifetimeMs }: { lifetimeMs: number }) {
    this.collection = new ExpiringCollection({
      lapsesAt: (order) => (isLive(order) ? Infinity : order.updatedAt.getTime() + lifetimeMs),
      entries: () => 1,
      organization: ({ organizationIdentifier }) => organizationIdentifier,
      forgotten: (order) => {
        this.#due.remove(keyOf(order));
        this.#count(order, -1);
      },
    });
  }

  /** Those that have a run to come. */
  get waiting(): number {
    return this.#due.size;
  }

  /** The number of live ones, of a client and of an organization. */
  live({ clientId, organizationIdentifier }: Pick<StandingOrder, 'clientId' | 'organizationIdentifier'>) {
    return {
      ofClient: this.#liveOfClient.of(clientId),
      ofOrganization: this.#liveOfOrganization.of(organizationIdentifier),
    };
  }

  find({ clientId, consentId, paymentId, now }: PaymentKey): StandingOrder | undefined {
    const order = this.collection.find(clientId, paymentId, now);
    return order && isOwn(order, { clientId, consentId }) ? order : undefined;
  }

  list({ now, ...owner }: Owner & { now: Date }): StandingOrder[] {
    return this.collection
      .itemsOf(owner.clientId, now)
      .filter((order) => isLive(order) && isOwn(order, owner))
      .toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  save(order: StandingOrder): void {
    const { clientId, paymentId, dueAt } = order;
    this.collection.put(clientId, paymentId, order);
    this.#count(order, 1);
    if (dueAt === undefined) return;
    this.#due.put({ at: dueAt.getTime(), key: keyOf(order), item: { clientId, paymentId } });
  }

  /** Takes the one that has been due for longest; it is not due again until it is saved. */
  takeDue(now: Date): StandingOrder | undefined {
    for (let entry = this.#due.take(now.getTime()); entry; entry = this.#due.take(now.getTime())) {
      const order = this.find({ ...entry.item, now });
      if (order !== undefined) return order;
    }
    return undefined;
  }

  drop(clientId: string): void {
    this.collection.drop(clientId, () => false);
  }

  #count(order: StandingOrder, change: 1 | -1): void {
    if (!isLive(order)) return;
    this.#liveOfClient.add(order.clientId, change);
    this.#liveOfOrganization.add(order.organizationIdentifier, change);
  }
}

/** Neither part has a blank. */
function keyOf({ clientId, paymentId }: Pick<StandingOrder, 'clientId' | 'paymentId'>): string {
  return `${clientId} ${paymentId}`;
}
