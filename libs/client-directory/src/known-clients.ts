import type { Client, WatchRequest, WatchResponse } from '@kontoport/proto/registration/v1';
import type { DirectoryClient } from './client-directory.ts';
import { Lease } from './lease.model.ts';

/** All clients as the directory has told them so far, and whether they may still be decided from. */
export class KnownClients {
  readonly #watcher: { watcherId: string; service: string };
  readonly #lease = new Lease();
  readonly #listeners: ((clientId: string) => void)[] = [];
  #clients = new Map<string, DirectoryClient>();
  #appliedRevision = 0n;

  constructor(watcher: { watcherId: string; service: string }) {
    this.#watcher = watcher;
  }

  find(clientId: string): DirectoryClient | undefined {
    return this.#clients.get(clientId);
  }

  onDeleted(listener: (clientId: string) => void): void {
    this.#listeners.push(listener);
    for (const client of this.#clients.values()) if (client.deleted) listener(client.clientId);
  }

  /** Whether the lease holds at `now` (monotonic milliseconds). */
  mayDecide(now: number): boolean {
    return this.#lease.holds(now);
  }

  /** What the directory is told next: that the watcher lives, and what it has applied. */
  report(options: { now: number; leaving?: boolean }): WatchRequest {
    return {
      ...this.#watcher,
      appliedRevision: this.#appliedRevision,
      nonce: this.#lease.next(options.now),
      leaving: options.leaving ?? false,
    };
  }

  /** Takes what the directory says. */
  apply({ message }: WatchResponse): void {
    switch (message?.$case) {
      case 'snapshot':
        this.#clients = new Map();
        for (const client of message.value.clients) this.#store(client);
        this.#appliedRevision = message.value.revision;
        return;
      case 'change':
        if (message.value.revision <= this.#appliedRevision) return;
        if (message.value.client) this.#store(message.value.client);
        this.#appliedRevision = message.value.revision;
        return;
      case 'heartbeat':
        if (this.#appliedRevision >= message.value.revision)
          this.#lease.renew(message.value.nonce, Number(message.value.leaseMilliseconds));
        return;
      case undefined:
        return;
    }
  }

  #store(client: Client): void {
    this.#clients.set(client.clientId, client);
    if (client.deleted) for (const listener of this.#listeners) listener(client.clientId);
  }
}
