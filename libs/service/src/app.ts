import type { Tx } from '@kontoport/database';
import type { Kafka, Producer, TopicConsumer } from '@kontoport/events';
import type { Route } from '@kontoport/gate';
import type { Rpc } from '@kontoport/grpc';
import type { Clause } from '@kontoport/http';
import type { Loop, Readiness } from '@kontoport/lifecycle';
import type { z } from 'zod';
import type { Address } from './addresses.ts';

/** The topics that a service reads, as one member of the group that has its name. */
export interface AppConsumers {
  kafka: Kafka;
  /** Publishes the records that cannot be parsed. */
  deadLetters: Producer;
  topics: readonly TopicConsumer[];
}

/** What is sent to callbacks for events of a type (§6). */
export interface Webhook {
  eventType: string;
  clause: Clause | readonly Clause[];
  /** When it is sent. */
  summary: string;
  /** The body. */
  json: z.ZodType;
  example: unknown;
}

/** Everything that runs in a service: whoever reads it has seen every entry point. */
export interface App {
  /** What is served over HTTP, by address. */
  routes: Partial<Record<Address, readonly Route[]>>;
  /** What is sent to callbacks that were subscribed at an address. */
  webhooks?: Partial<Record<Address, readonly Webhook[]>>;
  /** What is served over gRPC. */
  rpcs?: readonly Rpc[];
  /** What is read from Kafka. */
  consumers?: AppConsumers;
  /** Where the replicas add up the requests of their callers; absent where there is one replica only. */
  usage?: Tx | undefined;
  /** What repeats by itself. */
  loops?: readonly Loop[];
  /**
   * Why parts are not ready, by name, beyond those that every service has alike: the start, the client directory, and
   * Kafka where it consumes.
   */
  readiness?: Readonly<Record<string, Readiness>>;
}
