import { ApiError } from '@kontoport/errors';
import { QueuedLimiter } from '@kontoport/fairness';
import { TEXTS } from '../texts.ts';

const MAX_CHANGES = 3;
const MAX_QUEUED = 100;

/**
 * Limits the concurrent changes of clients (§4.2) of one organization. Further changes queue; beyond the queue they are 429. A
 * change holds a database connection while it waits for other changes of its client, so the limit leaves connections free for
 * other organizations.
 */
export const changeLimiter = (): QueuedLimiter =>
  new QueuedLimiter({
    maxPerKey: MAX_CHANGES,
    maxQueuedPerKey: MAX_QUEUED,
    refusal: () =>
      new ApiError('RATE_LIMITED', TEXTS('changes-too-many', { most: MAX_CHANGES + MAX_QUEUED }), {
        retryAfterSeconds: 1,
      }),
  });
