import { duration, key32, port, readConfig, secret } from '@kontoport/config';
import { internalTlsConfig } from '@kontoport/internal-tls';
import { z } from 'zod';

const config = {
  /** Where the services of kontoport.bank.v1 are served; on this machine alone, without TLS. */
  GRPC_PORT: port,
  /** Where the pages are: the login, and the bank's app. */
  PAGES_PORT: port,
  OPS_PORT: port,
  /** Base of the pages, as browsers reach it; absent: this machine. */
  PAGES_URL: z
    .url()
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  /** Base of Kontoport's own pages: browsers are sent back to nowhere else. */
  USER_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** LedgerService of account-information, host:port. */
  ACCOUNTS_GRPC: z.string().min(1),
  /** The file in which the bank keeps what it must not forget. */
  JOURNAL: z.string().min(1),
  /** Proves what the bank's pages and codes say to be its own. */
  BANK_KEY: secret(key32),
  /** How long a payment waits before it is booked, as in a bank that books in batches. */
  BOOKING_DELAY: duration.prefault('0ms'),
  ...internalTlsConfig,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
};

export type Config = z.output<z.ZodObject<typeof config>>;

/** @throws ConfigError naming every missing or malformed variable */
export function readBankConfig(env: Record<string, string | undefined>): Config {
  return readConfig(config, env);
}
