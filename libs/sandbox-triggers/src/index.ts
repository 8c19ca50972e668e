import { PAYMENT_TRIGGERS } from './payment-triggers.ts';
import type { Trigger } from './trigger.ts';

export { PAYMENT_TRIGGERS, type PaymentTrigger } from './payment-triggers.ts';
export { type Trigger, TRIGGER_KINDS } from './trigger.ts';

/** Every trigger of the sandbox; names are unique. */
export const TRIGGERS: readonly Trigger[] = [...PAYMENT_TRIGGERS];
