import type { Route } from '@kontoport/gate';
import type { Rpc } from '@kontoport/grpc';
import type { Loop, Readiness } from '@kontoport/runtime';
import type { Address } from './addresses.ts';

/** A member of a consumer group, from `start` until it is closed. */
export interface Consumer {
  /** As in logs and readiness, for example `consumer of kontoport.postings.v1`. */
  readonly name: string;
  start(): RunningConsumer;
}

/** A consumer that was started. */
export interface RunningConsumer {
  /** Why no records arrive yet, or nothing once the group has been joined. */
  groupReady(): string | undefined;
  close(): Promise<void>;
}

/** Everything that runs in a service: whoever reads it has seen every entry point. */
export interface App {
  /** What is served over HTTP, by address. */
  routes: Partial<Record<Address, readonly Route[]>>;
  /** What is served over gRPC. */
  rpcs?: readonly Rpc[];
  /** What reads topics. */
  consumers?: readonly Consumer[];
  /** What repeats by itself. */
  loops?: readonly Loop[];
  /**
   * Why parts are not ready, by name, beyond those that every service has alike: the start, the client directory, the
   * consumers.
   */
  readiness?: Readonly<Record<string, Readiness>>;
}
