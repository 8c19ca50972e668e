import { duration, keys32, list, secret } from '@kontoport/config';
import { databaseConfig } from '@kontoport/database';
import { kafkaConfig } from '@kontoport/events';
import { commonConfig } from '@kontoport/service/common-config';
import { z } from 'zod';
import { callbackConfig } from './callback-config.ts';

/** The environment of the webhook dispatcher. */
export const config = {
  ...commonConfig,
  /** The service's own PostgreSQL database. */
  ...databaseConfig,
  ...kafkaConfig,
  /** Encryption keys at rest, base64url of 32 bytes, separated by commas: the first encrypts, all decrypt. */
  SECRETS_KEY: secret(keys32),
  ...callbackConfig,
  /** Wait before each attempt, separated by commas. After the last attempt the delivery is exhausted. */
  WEBHOOK_RETRY_SCHEDULE: list
    .prefault('0s,5s,5min,30min,2h,5h,10h,14h,20h,24h')
    .pipe(z.array(duration).max(100)),
  /** Retention of events and their deliveries, in whole days of UTC. */
  WEBHOOK_RETENTION: duration.prefault('720h'),
  /** Age at which a due delivery that no process has claimed is logged. */
  WEBHOOK_UNCLAIMED_LIMIT: duration.prefault('1min'),
  /** Time for which every attempt of a subscription must fail before it is paused. */
  WEBHOOK_PAUSE_AFTER: duration.prefault('120h'),
  /** Part of the free delivery capacity that one client, and all clients of an organization together, may take. */
  WEBHOOK_SHARE: z.coerce.number().gt(0).max(1).default(0.25),
};

export type Config = z.output<z.ZodObject<typeof config>>;
