import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureContext } from 'node:tls';
import { type ServiceError, status } from '@grpc/grpc-js';
import { ApiError } from '@kontoport/errors';
import { createClient } from '@kontoport/grpc';
import { type Closable, type Logger, Loop } from '@kontoport/lifecycle';
import { ClientDirectoryServiceClient, type WatchResponse } from '@kontoport/proto/registration/v1';
import { observableGauge } from '@kontoport/telemetry';
import type { DirectoryClient } from './directory-client.ts';
import { KnownClients } from './known-clients.ts';
import { DIRECTORY_TEXTS } from './texts.ts';

export interface ClientDirectory extends Closable {
  /**
   * The client, deleted ones included (`deleted`); undefined when there is none.
   * @throws ApiError UNAVAILABLE when the directory has been silent too long to decide anything.
   */
  find(clientId: string): DirectoryClient | undefined;
  /** Calls `listener` for every deleted client, including those that were deleted in the last weeks. */
  onDeleted(listener: (clientId: string) => void): void;
  /** The reason why the directory is not ready, for `/readyz`. */
  readiness(): string | undefined;
}

const RECONNECT_MS = { first: 100, longest: 2_000 };
const LEAVE_LIMIT_MS = 1_000;

/** Milliseconds. A heartbeat arrives each second; a stream that is silent for longer is replaced. */
const SILENCE_LIMIT_MS = 4_000;

/** The open directories of this process. */
const open = new Set<KnownClients>();

observableGauge(
  {
    name: 'kontoport.client_directory.age.seconds',
    help: 'Age of the client directory in the process; above 5, the length of a lease, it rejects every token.',
  },
  (observe) => {
    const now = performance.now();
    if (open.size > 0) observe(Math.max(...[...open].map((clients) => clients.age(now))) / 1_000);
  },
);

/** The beginning of gRPC's message for an unreadable response. */
const UNREADABLE = 'Response message parsing error';

/**
 * Opens a copy of all clients in memory, fed by `ClientDirectoryService.Watch` at `address` (host:port). It reconnects
 * by itself.
 */
export function openClientDirectory(options: {
  address: string;
  service: string;
  /** Absent: plaintext. */
  tls?: SecureContext | undefined;
  logger: Logger;
}): ClientDirectory {
  const { address, service, tls, logger } = options;
  const stub = createClient(ClientDirectoryServiceClient, address, tls);
  const clients = new KnownClients({ watcherId: randomUUID(), service }, performance.now());
  open.add(clients);
  let pauseMs = RECONNECT_MS.first;
  let closing: Promise<void> | undefined;

  const watching = new Loop({
    name: 'client directory',
    everyMs: RECONNECT_MS.first,
    logger,
    async work(signal) {
      const { lived } = await watchOnce({ stub, clients, logger, signal });
      pauseMs = lived ? RECONNECT_MS.first : Math.min(pauseMs * 2, RECONNECT_MS.longest);
      return pauseMs;
    },
  });
  watching.start();

  const readiness = (): string | undefined => {
    // Deletions no longer wait for a replica that left.
    if (closing !== undefined) return 'the client directory is closed';
    return clients.mayDecide(performance.now()) ? undefined : 'the client directory is silent';
  };
  const leave = async (): Promise<void> => {
    // The peer ends the stream when it has processed the leave. The wait for a silent one is bounded.
    await Promise.race([watching.close(), sleep(LEAVE_LIMIT_MS, undefined, { ref: false })]);
    stub.close();
    open.delete(clients);
  };

  return {
    find(clientId) {
      if (readiness() !== undefined) throw new ApiError('UNAVAILABLE', DIRECTORY_TEXTS('silent'));
      return clients.find(clientId);
    },
    onDeleted: (listener) => clients.onDeleted(listener),
    readiness,
    close: () => (closing ??= leave()),
  };
}

/** Watches until the stream ends; leaves on `signal`. @returns whether any response arrived */
function watchOnce(options: {
  stub: ClientDirectoryServiceClient;
  clients: KnownClients;
  logger: Logger;
  signal: AbortSignal;
}): Promise<{ lived: boolean }> {
  const { stub, clients, logger, signal } = options;
  return new Promise((resolve) => {
    const stream = stub.watch();
    let lived = false;
    let answering: NodeJS.Immediate | undefined;
    const silence = setTimeout(() => stream.cancel(), SILENCE_LIMIT_MS);
    const leave = (): void => {
      stream.write(clients.report({ now: performance.now(), leaving: true }));
      stream.end();
    };
    const ended = (): void => {
      clearTimeout(silence);
      clearImmediate(answering);
      signal.removeEventListener('abort', leave);
      resolve({ lived });
    };
    stream.on('data', (response: WatchResponse) => {
      clients.apply(response);
      lived = true;
      silence.refresh();
      // One answer for all changes that arrived together.
      answering ??= setImmediate(() => {
        answering = undefined;
        if (!signal.aborted) stream.write(clients.report({ now: performance.now() }));
      });
    });
    stream.on('error', (error: Partial<ServiceError>) => {
      if (!signal.aborted) report(error, logger);
      ended();
    });
    stream.on('end', ended);
    stream.write(clients.report({ now: performance.now() }));
    signal.addEventListener('abort', leave, { once: true });
  });
}

/** An unreachable directory recovers by itself; an unreadable message is sent repeatedly. */
function report({ code, details = '' }: Partial<ServiceError>, logger: Logger): void {
  if (code === status.RESOURCE_EXHAUSTED || details.startsWith(UNREADABLE))
    logger.error(
      { code, details },
      'the client directory sends a message that cannot be taken: without it every request is refused',
    );
  else logger.warn({ code, details }, 'client directory unreachable');
}
