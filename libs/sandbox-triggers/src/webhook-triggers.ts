import type { Trigger } from './trigger.ts';

/** A delivery that is rare in practice. Its means exist in production, too (§4.6, §6). */
export interface WebhookTrigger extends Trigger {
  readonly kind: 'webhook';
}

/** Deliveries that a receiver must expect. */
export const WEBHOOK_TRIGGERS: readonly WebhookTrigger[] = [
  {
    kind: 'webhook',
    name: 'webhook-duplicate',
    values: { operation: 'POST /v1/webhook-subscriptions/{id}/deliveries/{deliveryId}/resend' },
    effect:
      'A delivered webhook comes again, with the same body and `idempotencyKey`, which is also the `deliveryId`.',
  },
  {
    kind: 'webhook',
    name: 'webhook-late',
    values: { 'status of your callback': '500' },
    effect:
      'The webhook comes again 5 seconds later by the default schedule, after those of newer events. If you had processed it, it is a duplicate.',
  },
];
