import { KeyedCounter } from '@kontoport/fairness';

interface ClientItems<T> {
  /** In the order of the last change, so that the first one expires first. */
  readonly items: Map<string, T>;
  size: number;
}

/** Records of one kind by client and id, counted per client and organization, which expire. */
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

  /** The items of a client that have not expired. */
  itemsOf(clientId: string, now: Date): T[] {
    const items = [...(this.#clients.get(clientId)?.items.values() ?? [])];
    return items.filter((item) => this.#rules.lapsesAt(item) > now.getTime());
  }

  /** The item, unless it has expired. */
  find(clientId: string, id: string, now: Date): T | undefined {
    const item = this.#clients.get(clientId)?.items.get(id);
    return item !== undefined && this.#rules.lapsesAt(item) > now.getTime() ? item : undefined;
  }

  /** Stores the item as the newest of its client, replacing one with its id. */
  put(clientId: string, id: string, item: T): void {
    this.remove(clientId, id);
    const client = this.#clients.get(clientId) ?? { items: new Map<string, T>(), size: 0 };
    this.#clients.set(clientId, client);
    client.items.set(id, item);
    this.#count(client, item, this.#rules.entries(item));
  }

  /** Replaces the item with its id and keeps its expiry; `forgotten` is not called. */
  replace(clientId: string, id: string, item: T): void {
    const client = this.#clients.get(clientId);
    const before = client?.items.get(id);
    if (client === undefined || before === undefined) throw new Error('there is nothing to replace');
    this.#count(client, before, -this.#rules.entries(before));
    client.items.set(id, item);
    this.#count(client, item, this.#rules.entries(item));
  }

  /** Deletes the expired items of a client. */
  sweep(clientId: string, now: Date): void {
    for (const [id, item] of this.#clients.get(clientId)?.items ?? []) {
      const lapsesAt = this.#rules.lapsesAt(item);
      if (lapsesAt === Infinity) continue;
      if (lapsesAt > now.getTime()) return;
      this.remove(clientId, id);
    }
  }

  /** Deletes the items of a client for which `keep` is false. */
  drop(clientId: string, keep: (item: T) => boolean): void {
    for (const [id, item] of this.#clients.get(clientId)?.items ?? [])
      if (!keep(item)) this.remove(clientId, id);
  }

  /** Deletes one item, if it exists. */
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

/** The rules of a collection for its items. */
export interface ExpiringCollectionRules<T> {
  /** Expiry in milliseconds since 1970; Infinity: never. Items stored later expire later. */
  lapsesAt(item: T): number;
  /** Entries that an item takes of the quotas. */
  entries(item: T): number;
  /** The organizationIdentifier, whose quota it counts for beside the client's. */
  organization(item: T): string;
  /** Called for every removed item, replaced ones included. */
  forgotten?(item: T): void;
}
