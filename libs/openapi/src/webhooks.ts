import type { Webhook } from '@kontoport/service';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { FEATURES } from './interfaces.ts';

/** The group of the webhooks in a document. */
export const WEBHOOK_FEATURE = FEATURES['4.6']!;

/** Headers of every delivery (§5.8). */
const headers = z.object({
  'X-HMAC-Signature': z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ description: 'HMAC-SHA256 over the bytes of the body, by the subscriptionKey (§5.8).' }),
  'webhook-id': z.string().meta({ description: 'The idempotencyKey (Standard Webhooks).' }),
  'webhook-timestamp': z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'When this attempt began, in seconds since 1970 (Standard Webhooks).' }),
  'webhook-signature': z
    .string()
    .regex(/^v1,[A-Za-z0-9+/]{43}=$/)
    .meta({ description: 'HMAC-SHA256 over id, timestamp and body, by the same key (Standard Webhooks).' }),
  traceparent: z.string().optional().meta({ description: 'W3C trace context of the event.' }),
});

const RESPONSES = {
  '204': { description: 'It has arrived; so says any 2xx within 15 seconds. Nothing of a body counts.' },
  '410': { description: 'Nothing more is wanted: the subscription is paused.' },
  '429': {
    description:
      'Too much: tried again, heeding `Retry-After` within 1 to 2 times the planned wait; so is 503.',
  },
  default: { description: 'Anything else, a redirect included: tried again by the schedule.' },
};

/** The webhooks of a document, by event type (§6). */
export function webhookPaths(webhooks: readonly Webhook[]): ZodOpenApiPathsObject {
  return Object.fromEntries(webhooks.map((webhook) => [webhook.eventType, { post: operationOf(webhook) }]));
}

function operationOf({ eventType, clause, summary, json, example }: Webhook): ZodOpenApiOperationObject {
  const clauses = [clause].flat();
  return {
    operationId: `on${eventType.replaceAll('.', '')}`,
    tags: [WEBHOOK_FEATURE.name],
    summary,
    description: `A POST to the callback of a subscription. Contract: ${clauses.join(', ')}.`,
    security: [],
    requestParams: { header: headers },
    requestBody: { required: true, content: { 'application/json': { schema: json, example } } },
    responses: RESPONSES,
    'x-clause': clauses,
  };
}
