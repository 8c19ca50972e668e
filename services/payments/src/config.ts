import { commonConfig, duration, port } from '@kontoport/runtime';
import { z } from 'zod';

/** The environment of the payments service. */
export const config = {
  ...commonConfig,
  /** Where Approvals is served. */
  GRPC_PORT: port,
  /** host:port of account-information: Ledger and AccountAccess. */
  ACCOUNTS_GRPC: z.string().min(1),
  /** Base of the approval links that TPPs send their users to; the pages themselves are auth's. */
  USER_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** From the approval of a domestic credit transfer to its settlement (§8: a few seconds). */
  SETTLEMENT_DELAY: duration.prefault('3s'),
};

export type Config = z.output<z.ZodObject<typeof config>>;
