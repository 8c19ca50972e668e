import type { EgressRule } from '@kontoport/egress';
import { z } from 'zod';
import { WEBHOOK_EVENT_TYPES } from '../events/webhook-event.model.ts';
import { callbackUrlFault } from './callback-url.model.ts';
import type { Subscription, SubscriptionRequest } from './subscription.model.ts';

/** The body of POST /v1/webhook-subscriptions/{id} (§4.6), with the callback rule of this environment. */
export function subscriptionBody(rule: EgressRule): z.ZodType<SubscriptionRequest> {
  return z.strictObject({
    callbackUrl: z.string().check((context) => {
      const fault = callbackUrlFault(context.value, rule);
      if (fault !== undefined) context.issues.push({ code: 'custom', message: fault, input: context.value });
    }),
    eventTypes: z
      .array(
        z.enum(WEBHOOK_EVENT_TYPES, {
          error: `is none of the supported event types: ${WEBHOOK_EVENT_TYPES.join(', ')}`,
        }),
      )
      .min(1, 'must name at least one event type')
      .max(WEBHOOK_EVENT_TYPES.length, 'must name each event type once')
      .refine((types) => new Set(types).size === types.length, 'must name each event type once'),
  });
}

/** The answer for one subscription (§2.11). */
export function subscriptionToWire(subscription: Subscription, subscriptionKey: string) {
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
