import { KeyedCounter } from '@kontoport/fairness';

interface ClientItems<T> {
  /** In the order of the last change, so that what lapses first stands in front. */
  readonly items: Map<string, T>;
  size: number;
}

/** What clients keep of one kind: found by client and id, counted, and forgotten when it has lapsed. */
export class ExpiringCollection<T> {
  readonly #clients = new Map<string, ClientItems<T>>();
  readonly #organizations = new KeyedCounter();
  readonly #rules: ExpiringCollectionRules<T>;
  #size = 0;

  constructor(rules: ExpiringCollectionRules<T>) {
    this.#rules = rules;
  }

  /** Entries of all clients. */
  get size(): number {
    return this.#size;
  }

  clientIds(): Iterable<string> {
    return this.#clients.keys();
  }

  sizeOf(clientId: string): number {
    return this.#clients.get(clientId)?.size ?? 0;
  }

  sizeOfOrganization(organizationIdentifier: string): number {
    return this.#organizations.of(organizationIdentifier);
  }

  /** The items of a client that did not lapse before `now`. */
  itemsOf(clientId: string, now: Date): T[] {
    const items = [...(this.#clients.get(clientId)?.items.values() ?? [])];
    return items.filter((item) => this.#rules.lapsesAt(item) > now.getTime());
  }

  /** The item, unless it lapsed before `now`. */
  find(clientId: string, id: string, now: Date): T | undefined {
    const item = this.#clients.get(clientId)?.items.get(id);
    return item !== undefined && this.#rules.lapsesAt(item) > now.getTime() ? item : undefined;
  }

  /** Puts the item behind all others of its client, in the place of the one that has its id. */
  put(clientId: string, id: string, item: T): void {
    this.remove(clientId, id);
    const client = this.#clients.get(clientId) ?? { items: new Map<string, T>(), size: 0 };
    this.#clients.set(clientId, client);
    client.items.set(id, item);
    this.#count(client, item, this.#rules.entries(item));
  }

  /** Puts the item where the one stands that has its id, and lapses when that did; that one is not forgotten. */
  replace(clientId: string, id: string, item: T): void {
    const client = this.#clients.get(clientId);
    const before = client?.items.get(id);
    if (client === undefined || before === undefined) throw new Error('there is nothing to replace');
    this.#count(client, before, -this.#rules.entries(before));
    client.items.set(id, item);
    this.#count(client, item, this.#rules.entries(item));
  }

  /** Forgets the items of a client that lapsed before `now`. */
  sweep(clientId: string, now: Date): void {
    for (const [id, item] of this.#clients.get(clientId)?.items ?? []) {
      const lapsesAt = this.#rules.lapsesAt(item);
      if (lapsesAt === Infinity) continue;
      if (lapsesAt > now.getTime()) return;
      this.remove(clientId, id);
    }
  }

  /** Forgets the items of a client that `keep` does not want. */
  drop(clientId: string, keep: (item: T) => boolean): void {
    for (const [id, item] of this.#clients.get(clientId)?.items ?? [])
      if (!keep(item)) this.remove(clientId, id);
  }

  /** Forgets one item, where it is there. */
  remove(clientId: string, id: string): void {
    const client = this.#clients.get(clientId);
    const item = client?.items.get(id);
    if (client === undefined || item === undefined) return;
    client.items.delete(id);
    this.#count(client, item, -this.#rules.entries(item));
    if (client.items.size === 0) this.#clients.delete(clientId);
    this.#rules.forgotten?.(item);
  }

  #count(client: ClientItems<T>, item: T, change: number): void {
    client.size += change;
    this.#size += change;
    this.#organizations.add(this.#rules.organization(item), change);
  }
}

/** What the collection must know of its items. */
export interface ExpiringCollectionRules<T> {
  /** Milliseconds since 1970; Infinity for what does not lapse. Later for what was put later. */
  lapsesAt(item: T): number;
  /** How much of the bounds an item takes. */
  entries(item: T): number;
  /** Whose bounds it takes of, beside the client's: the organizationIdentifier. */
  organization(item: T): string;
  /** Told of every item that leaves, replaced ones included. */
  forgotten?(item: T): void;
}
