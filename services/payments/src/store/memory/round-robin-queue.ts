import { KeyedCounter } from '@kontoport/fairness';
import type { DueClaim } from '../../domain/ports/payment-store.ts';
import { type DueEntry, DueQueue } from './due-queue.ts';

/** A due queue for each organization, served round robin. */
export class RoundRobinQueue<T> {
  readonly #queues = new Map<string, DueQueue<T>>();

  /** Entries of all organizations. */
  get size(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.size, 0);
  }

  put(organizationIdentifier: string, entry: DueEntry<T>): void {
    const queue = this.#queues.get(organizationIdentifier) ?? new DueQueue();
    this.#queues.set(organizationIdentifier, queue);
    queue.put(entry);
  }

  /** Removes an entry; an empty queue is removed in the next round. */
  remove(organizationIdentifier: string, key: string): void {
    this.#queues.get(organizationIdentifier)?.remove(key);
  }

  /**
   * Claims due entries, round robin by organization.
   * @param claim.take turns an entry into the claimed item; undefined when the item no longer exists
   */
  claim<Taken>({
    now,
    limit,
    limitPerOrganization,
    inFlight,
    take,
  }: Omit<DueClaim, 'leaseMs'> & { take: (entry: DueEntry<T>) => Taken | undefined }): Taken[] {
    const claimed: Taken[] = [];
    const taken = new KeyedCounter();
    for (let idle = 0; idle < this.#queues.size && claimed.length < limit;) {
      const [organization, queue] = this.#queues.entries().next().value!;
      const own = inFlight.of(organization) + taken.of(organization);
      const next = own < limitPerOrganization ? firstOf(queue, { now, take }) : undefined;
      this.#queues.delete(organization);
      if (queue.size > 0) this.#queues.set(organization, queue);
      if (next === undefined) {
        idle += queue.size > 0 ? 1 : 0;
        continue;
      }
      idle = 0;
      claimed.push(next);
      taken.add(organization, 1);
    }
    return claimed;
  }
}

function firstOf<T, Taken>(
  queue: DueQueue<T>,
  { now, take }: { now: Date; take: (entry: DueEntry<T>) => Taken | undefined },
): Taken | undefined {
  for (let entry = queue.take(now.getTime()); entry; entry = queue.take(now.getTime())) {
    const taken = take(entry);
    if (taken !== undefined) return taken;
  }
  return undefined;
}
