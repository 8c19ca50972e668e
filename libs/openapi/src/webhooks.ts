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
    .meta({ description: 'HMAC-SHA256 of the body bytes with the subscriptionKey (§5.8).' }),
  'webhook-id': z.string().meta({ description: 'The idempotencyKey (Standard Webhooks).' }),
  'webhook-timestamp': z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'The time of this attempt, in seconds since 1970 (Standard Webhooks).' }),
  'webhook-signature': z
    .string()
    .regex(/^v1,[A-Za-z0-9+/]{43}=$/)
    .meta({ description: 'HMAC-SHA256 of id, timestamp and body with the same key (Standard Webhooks).' }),
  traceparent: z.string().optional().meta({ description: 'W3C trace context of the event.' }),
});

const RESPONSES = {
  '204': { description: 'The delivery has arrived: any 2xx within 15 seconds. The body has no meaning.' },
  '410': { description: 'The receiver wants no more deliveries: the subscription is paused.' },
  '429': {
    description:
      'Too many deliveries: the service retries, and respects `Retry-After` within 1 to 2 times the planned wait. 503 is treated alike.',
  },
  default: { description: 'Any other answer, a redirect included: the service retries by the schedule.' },
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
