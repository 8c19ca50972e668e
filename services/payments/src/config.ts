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
  /** Where Approvals is served. */
  GRPC_PORT: port,
  /** Database `payments`, in production; the sandbox opens none. */
  ...databaseConfig,
  DATABASE_URL: databaseConfig.DATABASE_URL.optional(),
  /** Brokers that take the events of payments. */
  ...kafkaConfig,
  /** host:port of account-information: Ledger and AccountAccess. */
  ACCOUNTS_GRPC: z.string().min(1),
  /** Base of the approval links that TPPs send their users to; the pages themselves are auth's. */
  USER_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** How long a user has to approve payments, where they are asked. */
  APPROVAL_LIFETIME: duration.prefault('15min'),
  /** From the approval of a domestic credit transfer to its settlement (§8: a few seconds). */
  SETTLEMENT_DELAY: duration.prefault('3s'),
  /** How long an approval waits for the bank to book what it books at once. */
  BOOKING_WAIT: duration.prefault('2s'),
  /** How long production keeps drafts, and approvals that no user gave, since their last change. */
  DRAFT_RETENTION: crossFieldCheck(duration.prefault('168h'), databaseFaults),
  /** How long production keeps payments that are settled or refused, and what approved them. */
  PAYMENT_RETENTION: duration.prefault('9600h'),
  /** Drafts, and approvals that no user gave, that production keeps of a client at most. */
  OPEN_ITEMS_PER_CLIENT: count.prefault(20_000),
  /** The same of the clients of one organization. */
  OPEN_ITEMS_PER_ORGANIZATION: count.prefault(50_000),
  /** Drafts, and drafts named by baskets, that the sandbox keeps of one client at most. */
  SANDBOX_ENTRIES_PER_CLIENT: count.prefault(10_000),
  /** The same of all clients; each entry takes a few kilobytes of memory at most. */
  SANDBOX_ENTRIES_TOTAL: count.prefault(100_000),
  /** What the clients of one organization together may take of what the others leave of these. */
  SANDBOX_ORGANIZATION_SHARE: z.coerce.number().gt(0).lt(1).prefault(0.2),
  /** Events that the sandbox keeps while the broker is away; each takes about a kilobyte of memory. */
  SANDBOX_EVENTS_TOTAL: count.prefault(20_000),
};

export type Config = z.output<z.ZodObject<typeof config>>;

function databaseFaults({ ENVIRONMENT, DATABASE_URL }: RawEnv): readonly string[] {
  return ENVIRONMENT === 'production' && DATABASE_URL === undefined
    ? ['DATABASE_URL: missing; in production payments are kept in a database']
    : [];
}
