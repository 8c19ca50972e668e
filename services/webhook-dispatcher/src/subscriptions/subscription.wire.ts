import type { EgressRule } from '@kontoport/egress';
import { fault, rule } from '@kontoport/errors';
import { z } from 'zod';
import { WEBHOOK_EVENT_TYPES } from '../event-types/webhook-event.model.ts';
import { TEXTS } from '../texts.ts';
import {
  callbackUrlFault,
  PAUSED_REASONS,
  type Subscription,
  SUBSCRIPTION_ID,
  type SubscriptionRequest,
} from './subscription.model.ts';

/** The body of POST and PUT /v1/webhook-subscriptions/{id} (§4.6), with the callback rule of this environment. */
export function subscriptionBody(egress: EgressRule): z.ZodType<SubscriptionRequest> {
  return z.strictObject({
    callbackUrl: z
      .string()
      .check((context) => {
        const found = callbackUrlFault(context.value, egress);
        if (found !== undefined)
          context.issues.push({ code: 'custom', ...fault(found), input: context.value });
      })
      .meta({ description: 'The URL that gets the events.' }),
    eventTypes: z
      .array(
        z.enum(
          WEBHOOK_EVENT_TYPES,
          rule(TEXTS('event-type-unsupported', { types: WEBHOOK_EVENT_TYPES.join(', ') })),
        ),
      )
      .min(1, rule(TEXTS('event-types-none')))
      .max(WEBHOOK_EVENT_TYPES.length, rule(TEXTS('event-types-twice')))
      .refine((types) => new Set(types).size === types.length, rule(TEXTS('event-types-twice')))
      .meta({ uniqueItems: true, description: 'The types of the events that it gets, each once.' }),
  });
}

/** The id of a path, in the form in which it may be chosen. */
export const subscriptionId = z.string().regex(SUBSCRIPTION_ID);

/** A subscription with its key, as every answer shows it (§2.11). */
export const subscriptionAnswer = z
  .object({
    id: z.string().meta({ description: 'Chosen by the caller.' }),
    internalId: z.guid().meta({ description: 'Another identifier beside id.' }),
    subscriptionKey: z
      .string()
      .regex(/^[A-Za-z]{32}$/)
      .meta({
        description: 'Its characters are the bytes of the key that signs deliveries (§5.8).',
      }),
    callbackUrl: z.string().meta({ description: 'The URL that gets the events.' }),
    eventTypes: z.array(z.string()).meta({ description: 'The types of the events that it gets.' }),
    status: z.enum(['ACTIVE', 'PAUSED']).meta({ description: 'Whether it gets events.' }),
    pausedAt: z.iso
      .datetime({ precision: 3 })
      .optional()
      .meta({ description: 'Only of a paused subscription.' }),
    pausedReason: z.enum(PAUSED_REASONS).optional().meta({
      description: 'GONE: the callback answered 410. FAILURES: every attempt of 5 days has failed.',
    }),
    createdAt: z.iso.datetime({ precision: 3 }).meta({ description: 'The time of its creation.' }),
  })
  .meta({ id: 'WebhookSubscription' });

/** Answer to GET /v1/webhook-subscriptions. */
export const subscriptionsAnswer = z
  .object({
    subscriptions: z.array(subscriptionAnswer).meta({ description: 'All subscriptions of the client.' }),
  })
  .meta({ id: 'WebhookSubscriptions' });

/** The subscription as its owner sees it (§2.11). */
export function subscriptionToWire(
  subscription: Subscription,
  subscriptionKey: string,
): z.input<typeof subscriptionAnswer> {
  const { id, internalId, callbackUrl, eventTypes, status, pausedAt, pausedReason, createdAt } = subscription;
  return {
    id,
    internalId,
    subscriptionKey,
    callbackUrl,
    eventTypes,
    status,
    ...(pausedAt === null ? {} : { pausedAt: pausedAt.toISOString() }),
    ...(pausedReason === null ? {} : { pausedReason }),
    createdAt: createdAt.toISOString(),
  };
}

export const subscriptionExample: z.input<typeof subscriptionAnswer> = {
  id: 'postings-production',
  internalId: '9f1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d',
  subscriptionKey: 'qWbRtYzUpLkJhGfDsAxCvNmEiOZXcBVQ',
  callbackUrl: 'https://hooks.fjordbudget.example/kontoport',
  eventTypes: ['Posting.CreatedV1'],
  status: 'ACTIVE',
  createdAt: '2026-03-02T09:30:00.000Z',
};

export const subscriptionBodyExample = {
  callbackUrl: subscriptionExample.callbackUrl,
  eventTypes: subscriptionExample.eventTypes,
};
