import { PAYMENT_TRIGGERS } from './payment-triggers.ts';
import { REQUEST_TRIGGERS } from './request-triggers.ts';
import type { Trigger } from './trigger.ts';
import { USER_TRIGGERS } from './user-triggers.ts';
import { WEBHOOK_TRIGGERS } from './webhook-triggers.ts';

export { PAYMENT_TRIGGERS, type PaymentTrigger } from './payment-triggers.ts';
export { REQUEST_TRIGGERS } from './request-triggers.ts';
export { type Trigger, TRIGGER_KINDS } from './trigger.ts';
export { USER_TRIGGERS } from './user-triggers.ts';
export { WEBHOOK_TRIGGERS } from './webhook-triggers.ts';

/** Every trigger of the sandbox; names are unique. */
export const TRIGGERS: readonly Trigger[] = [
  ...PAYMENT_TRIGGERS,
  ...USER_TRIGGERS,
  ...REQUEST_TRIGGERS,
  ...WEBHOOK_TRIGGERS,
];
