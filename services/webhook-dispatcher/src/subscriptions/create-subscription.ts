import { randomInt, randomUUID } from 'node:crypto';
import { seal } from '@kontoport/database';
import { ApiError } from '@kontoport/errors';
import type { Db } from '../gen/db.ts';
import { TEXTS } from '../texts.ts';
import {
  keyContext,
  MAX_SUBSCRIPTIONS,
  newSubscriptionKey,
  type Subscription,
  type SubscriptionRequest,
} from './subscription.model.ts';
import { insertSubscription } from './subscription.repository.ts';

/**
 * Creates a subscription with a key of its own (§4.6).
 * @throws ApiError DUPLICATE_ID for an id that the client uses or has ever used; STATUS_INVALID when it has too many, or has had.
 */
export async function createSubscription(
  { db, secretsKey }: { db: { management: Db }; secretsKey: Uint8Array },
  request: SubscriptionRequest & { clientId: string; id: string; now: Date },
): Promise<{ subscription: Subscription; subscriptionKey: string }> {
  const { clientId, id, callbackUrl, eventTypes, now } = request;
  const internalId = randomUUID();
  const subscriptionKey = newSubscriptionKey((below) => randomInt(below));
  const sealedKey = seal(secretsKey, subscriptionKey, keyContext(internalId));
  const subscription = { internalId, clientId, id, sealedKey, callbackUrl, eventTypes, createdAt: now };
  const outcome = await insertSubscription(db.management, subscription, MAX_SUBSCRIPTIONS);
  switch (outcome) {
    case 'duplicate':
      throw new ApiError('DUPLICATE_ID', TEXTS('id-used'));
    case 'too many':
      throw new ApiError('STATUS_INVALID', TEXTS('too-many', { most: MAX_SUBSCRIPTIONS.live }));
    case 'too many ids':
      throw new ApiError('STATUS_INVALID', TEXTS('too-many-ids', { most: MAX_SUBSCRIPTIONS.ids }));
    case 'created':
      return {
        subscription: { ...subscription, status: 'ACTIVE', pausedAt: null, pausedReason: null },
        subscriptionKey,
      };
  }
}
