import { duration, key32, port, readConfig, secret } from '@kontoport/config';
import { internalTlsConfig } from '@kontoport/internal-tls';
import { z } from 'zod';

const config = {
  /** Port of the services of kontoport.bank.v1, on loopback, without TLS. */
  GRPC_PORT: port,
  /** Port of the pages: the login, and the bank's app. */
  PAGES_PORT: port,
  OPS_PORT: port,
  /** Base of the pages for browsers; absent: this machine. */
  PAGES_URL: z
    .url()
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  /** Base of Kontoport's own pages, the only return address. */
  USER_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** LedgerService of account-information, host:port. */
  ACCOUNTS_GRPC: z.string().min(1),
  /** The file of the bank's decisions. */
  JOURNAL: z.string().min(1),
  /** Signs the bank's forms and codes. */
  BANK_KEY: secret(key32),
  /** Time that a payment waits before it is booked, as in a bank that books in batches. */
  BOOKING_DELAY: duration.prefault('0ms'),
  ...internalTlsConfig,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
};

export type Config = z.output<z.ZodObject<typeof config>>;

/** @throws ConfigError naming every missing or malformed variable */
export function readBankConfig(env: Record<string, string | undefined>): Config {
  return readConfig(config, env);
}
