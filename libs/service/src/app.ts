import type { Tx } from '@kontoport/database';
import type { Kafka, Producer, TopicConsumer } from '@kontoport/events';
import type { Route } from '@kontoport/gate';
import type { Rpc } from '@kontoport/grpc';
import type { Clause } from '@kontoport/http';
import type { Loop, Readiness } from '@kontoport/lifecycle';
import type { z } from 'zod';
import type { Address } from './addresses.ts';

/** The topics that a service consumes; its consumer group has its name. */
export interface AppConsumers {
  kafka: Kafka;
  /** Publishes the records that cannot be parsed. */
  deadLetters: Producer;
  topics: readonly TopicConsumer[];
}

/** A webhook for events of a type (§6). */
export interface Webhook {
  eventType: string;
  clause: Clause | readonly Clause[];
  /** The trigger, in one line. */
  summary: string;
  /** The body. */
  json: z.ZodType;
  example: unknown;
}

/** All entry points of a service. */
export interface App {
  /** The HTTP routes, by address. */
  routes: Partial<Record<Address, readonly Route[]>>;
  /** The webhooks, by the address of their subscriptions. */
  webhooks?: Partial<Record<Address, readonly Webhook[]>>;
  /** The gRPC services. */
  rpcs?: readonly Rpc[];
  /** The Kafka consumers. */
  consumers?: AppConsumers;
  /** The database in which replicas add up the requests of callers; absent for a single replica. */
  usage?: Tx | undefined;
  /** The background loops. */
  loops?: readonly Loop[];
  /**
   * Readiness of further parts, by name. Every service has the start, the client directory, and Kafka where it
   * consumes.
   */
  readiness?: Readonly<Record<string, Readiness>>;
}
