import type { EgressRule } from '@kontoport/egress';
import { fault, rule } from '@kontoport/errors';
import { z } from 'zod';
import { WEBHOOK_EVENT_TYPES } from '../events/webhook-event.model.ts';
import { callbackUrlFault } from './callback-url.model.ts';
import type { Subscription, SubscriptionRequest } from './subscription.model.ts';
import { TEXTS } from '../texts.ts';

/** The body of POST /v1/webhook-subscriptions/{id} (§4.6), with the callback rule of this environment. */
export function subscriptionBody(egress: EgressRule): z.ZodType<SubscriptionRequest> {
  return z.strictObject({
    callbackUrl: z.string().check((context) => {
      const found = callbackUrlFault(context.value, egress);
      if (found !== undefined) context.issues.push({ code: 'custom', ...fault(found), input: context.value });
    }),
    eventTypes: z
      .array(
        z.enum(
          WEBHOOK_EVENT_TYPES,
          rule(TEXTS('event-type-unsupported', { types: WEBHOOK_EVENT_TYPES.join(', ') })),
        ),
      )
      .min(1, rule(TEXTS('event-types-none')))
      .max(WEBHOOK_EVENT_TYPES.length, rule(TEXTS('event-types-twice')))
      .refine((types) => new Set(types).size === types.length, rule(TEXTS('event-types-twice'))),
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
