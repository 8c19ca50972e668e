import { ApiError } from '@kontoport/errors';
import { QueuedLimiter } from '@kontoport/fairness';
import { TEXTS } from '../texts.ts';

const MAX_CHANGES = 3;
const MAX_QUEUED = 100;

/**
 * Bounds how many changes of clients (§4.2) of one organization run at a time; the others queue, and beyond that they are 429. A
 * change holds a connection of the database while it waits for other changes of its client, so other organizations always find a
 * free connection.
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
