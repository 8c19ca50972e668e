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
  /** Subscription keys are encrypted with it in the database: the first seals, all of them open. */
  SECRETS_KEY: secret(keys32),
  ...callbackConfig,
  /** One entry for each attempt, the wait before it; the first is made at once. After the last one the delivery is exhausted. */
  WEBHOOK_RETRY_SCHEDULE: list
    .default(['0s', '5s', '5min', '30min', '2h', '5h', '10h', '14h', '20h', '24h'])
    .pipe(z.array(duration).max(100)),
  /** How long events and what became of their deliveries are kept: by whole days of UTC. */
  WEBHOOK_RETENTION: duration.prefault('720h'),
  /** A delivery that is due for so long, and that no process has claimed, is said to be in the log. */
  WEBHOOK_UNCLAIMED_LIMIT: duration.prefault('1min'),
  /** A subscription of which every attempt has failed for so long is paused. */
  WEBHOOK_PAUSE_AFTER: duration.prefault('120h'),
  /** Part of the lanes and POSTs still free that one client, and all clients of an organization together, may take. */
  WEBHOOK_SHARE: z.coerce.number().gt(0).max(1).default(0.25),
};

export type Config = z.output<z.ZodObject<typeof config>>;
