import type {
  Client,
  Heartbeat,
  RevokedToken,
  WatchRequest,
  WatchResponse,
} from '@kontoport/proto/registration/v1';
import type { DirectoryClient } from './directory-client.ts';
import { Lease } from './lease.model.ts';

const NO_REDIRECTS = Buffer.alloc(0);
const NO_TOKENS: RevokedToken[] = [];

/** The copy of all clients, and the lease under which it may be used. */
export class KnownClients {
  readonly #watcher: { watcherId: string; service: string };
  readonly #lease: Lease;
  readonly #listeners: ((clientId: string) => void)[] = [];
  readonly #clients = new Map<string, DirectoryClient>();
  /** One object for all clients and certificates that hold the same roles. */
  readonly #roles = new Map<string, string[]>();
  /** Clients that existed before a reset. */
  readonly #former = new Set<string>();
  #appliedRevision = 0n;
  #purgedRevision = 0n;

  /** @param since the start of the wait for the first response, monotonic milliseconds */
  constructor(watcher: { watcherId: string; service: string }, since: number) {
    this.#watcher = watcher;
    this.#lease = new Lease(since);
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

  /** The age of the copy at `now`, milliseconds. */
  age(now: number): number {
    return this.#lease.age(now);
  }

  /** The next request to the directory: that this replica lives, and the revision that it applied. */
  report(options: { now: number; leaving?: boolean }): WatchRequest {
    return {
      ...this.#watcher,
      appliedRevision: this.#appliedRevision,
      nonce: this.#lease.next(options.now),
      leaving: options.leaving ?? false,
    };
  }

  /** Applies a response. */
  apply({ message }: WatchResponse): void {
    switch (message?.$case) {
      case 'part':
        if (message.value.revision <= this.#appliedRevision) return;
        for (const client of message.value.clients) this.#store(client);
        this.#appliedRevision = message.value.revision;
        return;
      case 'reset':
        return this.#reset();
      case 'heartbeat':
        return this.#renew(message.value);
      case undefined:
        return;
    }
  }

  #store(client: Client): void {
    for (const certificate of client.certificates) certificate.roles = this.#shared(certificate.roles);
    this.#clients.set(client.clientId, {
      ...client,
      roles: this.#shared(client.roles),
      // One list for all clients that have nothing in it.
      revokedTokens: client.revokedTokens.length === 0 ? NO_TOKENS : client.revokedTokens,
      redirectDigests: client.deleted ? NO_REDIRECTS : client.redirectDigests,
      redirectUriDigests: client.deleted ? NO_REDIRECTS : client.redirectUriDigests,
    });
    if (client.deleted) this.#reportDeleted(client.clientId);
  }

  #shared(roles: string[]): string[] {
    const names = roles.join(' ');
    const known = this.#roles.get(names);
    if (known === undefined) this.#roles.set(names, roles);
    return known ?? roles;
  }

  #reset(): void {
    // Ends the lease too: a copy that is being filled must not decide.
    this.#lease.end();
    for (const { clientId, deleted } of this.#clients.values()) if (!deleted) this.#former.add(clientId);
    this.#clients.clear();
    this.#appliedRevision = 0n;
  }

  #renew({ revision, nonce, leaseMilliseconds, purgedRevision }: Heartbeat): void {
    // While the clients are still arriving, nothing is known yet: no nonce is echoed then.
    if (this.#appliedRevision < revision || !this.#lease.renew(nonce, Number(leaseMilliseconds))) return;
    for (const clientId of this.#former) if (!this.#clients.has(clientId)) this.#reportDeleted(clientId);
    this.#former.clear();
    if (purgedRevision <= this.#purgedRevision) return;
    this.#purgedRevision = purgedRevision;
    for (const client of this.#clients.values())
      if (client.deleted && client.revision <= purgedRevision) this.#clients.delete(client.clientId);
  }

  #reportDeleted(clientId: string): void {
    for (const listener of this.#listeners) listener(clientId);
  }
}
