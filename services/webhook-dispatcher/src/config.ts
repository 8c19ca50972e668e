import { commonConfig, duration, flag, key32, list } from '@kontoport/runtime';
import { z } from 'zod';

/** The environment of the webhook dispatcher. */
export const config = {
  ...commonConfig,
  /** The service's own PostgreSQL database. */
  DATABASE_URL: z.url(),
  /** host:port of the brokers, separated by commas. */
  KAFKA_BROKERS: list,
  /** base64url of 32 bytes: subscription keys are encrypted with it in the database. */
  SECRETS_KEY: key32,
  /** `true`: http and loopback callbacks are accepted and served, for a sandbox on one machine. */
  CALLBACK_LOOPBACK: flag.default(false),
  /** One entry for each attempt, the wait before it; the first is made at once. After the last one the delivery is exhausted. */
  WEBHOOK_RETRY_SCHEDULE: list
    .default(['0s', '5s', '5min', '30min', '2h', '5h', '10h', '14h', '20h', '24h'])
    .pipe(z.array(duration).max(100)),
};

export type Config = z.output<z.ZodObject<typeof config>>;
