import { count, crossFieldCheck, duration, port, type RawEnv } from '@kontoport/config';
import { databaseConfig } from '@kontoport/database';
import { kafkaConfig } from '@kontoport/events';
import { bankConfig } from '@kontoport/grpc';
import { commonConfig } from '@kontoport/service/common-config';
import { z } from 'zod';

/** The environment of the payments service. */
export const config = {
  ...commonConfig,
  ...bankConfig,
  /** Port of the service's gRPC server. */
  GRPC_PORT: port,
  /** Database `payments`, in production; the sandbox opens none. */
  ...databaseConfig,
  DATABASE_URL: databaseConfig.DATABASE_URL.optional(),
  /** Brokers that take the events of payments. */
  ...kafkaConfig,
  /** `host:port` of the gRPC server of account-information. */
  ACCOUNTS_GRPC: z.string().min(1),
  /** Base URL of the users' pages, as browsers reach it. */
  USER_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** Time in which a user must answer an approval. */
  APPROVAL_LIFETIME: duration.prefault('15min'),
  /** Time from the approval of a domestic credit transfer to its settlement (§8: a few seconds). */
  SETTLEMENT_DELAY: duration.prefault('3s'),
  /** Time that an approval waits for the bank to book payments that it books at once. */
  BOOKING_WAIT: duration.prefault('2s'),
  /** Time for which production keeps drafts and unanswered approvals after their last change. */
  DRAFT_RETENTION: crossFieldCheck(duration.prefault('168h'), databaseFaults),
  /** Time for which production keeps settled or rejected payments and their approvals. */
  PAYMENT_RETENTION: duration.prefault('9600h'),
  /** Most drafts and unanswered approvals of a client in production. */
  OPEN_ITEMS_PER_CLIENT: count.prefault(20_000),
  /** Most drafts and unanswered approvals of all clients of an organization in production. */
  OPEN_ITEMS_PER_ORGANIZATION: count.prefault(50_000),
  /** Most drafts, and drafts in baskets, of a client in the sandbox. */
  SANDBOX_ENTRIES_PER_CLIENT: count.prefault(10_000),
  /** Most drafts, and drafts in baskets, of all clients in the sandbox; each takes up to a few kilobytes of memory. */
  SANDBOX_ENTRIES_TOTAL: count.prefault(100_000),
  /** Part of the entries still free in the sandbox that the clients of one organization may take. */
  SANDBOX_ORGANIZATION_SHARE: z.coerce.number().gt(0).lt(1).prefault(0.2),
  /** Events that the sandbox keeps while Kafka is unavailable; each takes about a kilobyte of memory. */
  SANDBOX_EVENTS_TOTAL: count.prefault(20_000),
};

export type Config = z.output<z.ZodObject<typeof config>>;

function databaseFaults({ ENVIRONMENT, DATABASE_URL }: RawEnv): readonly string[] {
  return ENVIRONMENT === 'production' && DATABASE_URL === undefined
    ? ['DATABASE_URL: missing; in production payments are kept in a database']
    : [];
}
