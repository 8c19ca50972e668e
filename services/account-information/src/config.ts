import { commonConfig, key32, list, port } from '@kontoport/runtime';
import { z } from 'zod';

/** The environment of account-information. */
export const config = {
  ...commonConfig,
  /** Where the other services reach Ledger, Consents and AccountAccess. */
  GRPC_PORT: port,
  /** `postgres://…/account_information` */
  DATABASE_URL: z.url(),
  /** Brokers that take the postings, `host:port` each. */
  KAFKA_BROKERS: list,
  /** Authenticates the cursors of the V2 list; the same on every replica. */
  SECRETS_KEY: key32,
};

export type Config = z.output<z.ZodObject<typeof config>>;
