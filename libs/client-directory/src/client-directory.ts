import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@kontoport/errors';
import { createClient } from '@kontoport/grpc';
import {
  type Client,
  ClientDirectoryServiceClient,
  type WatchRequest,
  type WatchResponse,
} from '@kontoport/proto/registration/v1';
import type { Closable, Logger } from '@kontoport/runtime';
import { Lease } from './lease.model.ts';
import { DIRECTORY_TEXTS } from './texts.ts';

/** A registered TPP as every service knows it. */
export type DirectoryClient = Readonly<Client>;

export interface ClientDirectory extends Closable {
  /**
   * The client, deleted ones included (`deleted`); undefined when there is none.
   * @throws ApiError UNAVAILABLE when the directory has been silent too long to decide anything.
   */
  find(clientId: string): DirectoryClient | undefined;
  /** Calls `listener` for every client that is deleted, those already deleted at the first snapshot included. */
  onDeleted(listener: (clientId: string) => void): void;
  /** Why the directory cannot be used yet, for `/readyz`. */
  readiness(): string | undefined;
}

const RECONNECT_MS = { first: 100, longest: 2_000 };

/** Heartbeats come each second; a stream that carries none for so long is given up for a new one. */
const SILENCE_LIMIT_MS = 4_000;

/** Keeps all clients in memory, fed by `ClientDirectoryService.Watch` at `address` (host:port); reconnects by itself. */
export function openClientDirectory(options: {
  address: string;
  service: string;
  logger: Logger;
}): ClientDirectory {
  const { address, service, logger } = options;
  const watcherId = randomUUID();
  const stub = createClient(ClientDirectoryServiceClient, address);
  const lease = new Lease();
  const listeners: ((clientId: string) => void)[] = [];
  let clients = new Map<string, DirectoryClient>();
  let appliedRevision = 0n;
  let closed = false;
  let leave: (() => void) | undefined;

  const request = (leaving = false): WatchRequest => ({
    watcherId,
    service,
    appliedRevision,
    nonce: lease.next(performance.now()),
    leaving,
  });

  const store = (client: Client): void => {
    clients.set(client.clientId, client);
    if (client.deleted) for (const listener of listeners) listener(client.clientId);
  };

  const apply = ({ message }: WatchResponse): void => {
    switch (message?.$case) {
      case 'snapshot':
        clients = new Map();
        for (const client of message.value.clients) store(client);
        appliedRevision = message.value.revision;
        return;
      case 'change':
        if (message.value.client && message.value.revision > appliedRevision) store(message.value.client);
        if (message.value.revision > appliedRevision) appliedRevision = message.value.revision;
        return;
      case 'heartbeat':
        if (appliedRevision >= message.value.revision)
          lease.renew(message.value.nonce, Number(message.value.leaseMilliseconds));
        return;
      case undefined:
        return;
    }
  };

  /** Watches until the stream ends; says whether it ever came to life. */
  const watchOnce = (): Promise<{ lived: boolean }> =>
    new Promise((resolve) => {
      const stream = stub.watch();
      let lived = false;
      let answering: NodeJS.Immediate | undefined;
      const silence = setTimeout(() => stream.cancel(), SILENCE_LIMIT_MS);
      const ended = (): void => {
        clearTimeout(silence);
        clearImmediate(answering);
        resolve({ lived });
      };
      leave = () => {
        stream.write(request(true));
        stream.end();
      };
      stream.on('data', (response: WatchResponse) => {
        apply(response);
        lived = true;
        silence.refresh();
        // One answer for all changes that arrived together.
        answering ??= setImmediate(() => {
          answering = undefined;
          if (!closed) stream.write(request());
        });
      });
      stream.on('error', (error) => {
        if (!closed)
          logger.warn(
            { reason: error.name, code: 'code' in error ? error.code : undefined },
            'client directory away',
          );
        ended();
      });
      stream.on('end', ended);
      stream.write(request());
    });

  const watching = (async () => {
    let pause = RECONNECT_MS.first;
    while (!closed) {
      const { lived } = await watchOnce();
      if (closed) return;
      pause = lived ? RECONNECT_MS.first : Math.min(pause * 2, RECONNECT_MS.longest);
      await sleep(pause);
    }
  })();

  const readiness = (): string | undefined => {
    // Whoever has left is not awaited by deletions any more.
    if (closed) return 'the client directory is closed';
    return lease.holds(performance.now()) ? undefined : 'the client directory is silent';
  };

  return {
    find(clientId) {
      if (readiness() !== undefined) throw new ApiError('UNAVAILABLE', DIRECTORY_TEXTS('silent'));
      return clients.get(clientId);
    },
    onDeleted(listener) {
      listeners.push(listener);
      for (const client of clients.values()) if (client.deleted) listener(client.clientId);
    },
    readiness,
    async close() {
      closed = true;
      leave?.();
      // The peer ends the stream when it has noted the leave; a silent one is not waited for.
      await Promise.race([watching, sleep(1_000, undefined, { ref: false })]);
      stub.close();
    },
  };
}
