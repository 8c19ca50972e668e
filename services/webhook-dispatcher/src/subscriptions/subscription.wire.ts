import { POSTING_CREATED } from '@kontoport/events';
import { z } from 'zod';
import type { EgressRule } from '@kontoport/egress';
import { callbackUrlFault } from './callback-url.model.ts';
import type { Subscription } from './subscription.repository.ts';

/** The event types that are produced, hence the ones that can be subscribed to. */
export const EVENT_TYPES = [POSTING_CREATED] as const;

/** The body of POST /v1/webhook-subscriptions/{id}. */
export interface SubscriptionBody {
  callbackUrl: string;
  eventTypes: string[];
}

/** The shape of `SubscriptionBody`, with the callback rule of this environment. */
export function subscriptionBody(rule: EgressRule): z.ZodType<SubscriptionBody> {
  return z.strictObject({
    callbackUrl: z.string().check((context) => {
      const fault = callbackUrlFault(context.value, rule);
      if (fault !== undefined) context.issues.push({ code: 'custom', message: fault, input: context.value });
    }),
    eventTypes: z
      .array(
        z.enum(EVENT_TYPES, { error: `is none of the supported event types: ${EVENT_TYPES.join(', ')}` }),
      )
      .min(1, 'must name at least one event type')
      .max(EVENT_TYPES.length, 'must name each event type once')
      .refine((types) => new Set(types).size === types.length, 'must name each event type once'),
  });
}

/** Ids that a caller may choose. */
export const SUBSCRIPTION_ID = /^[A-Za-z0-9._~-]{1,64}$/;

/** The answer for one subscription (specification §2.11, DESIGN §4). */
export function toWire(subscription: Subscription, subscriptionKey: string) {
  const { id, internalId, callbackUrl, eventTypes, status, createdAt } = subscription;
  return {
    id,
    internalId,
    subscriptionKey,
    callbackUrl,
    eventTypes,
    status,
    createdAt: createdAt.toISOString(),
  };
}
