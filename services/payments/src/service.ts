import { defineService } from '@kontoport/service';
import { adapters } from './adapters.ts';
import { app } from './app.ts';
import { config } from './config.ts';
import { openDeps } from './deps.ts';
import type { PaymentTypes } from './payment-types/payment-type.ts';
import { PAYMENT_TYPES } from './payment-types/payment-types.ts';

/** The service with these payment types. */
export function definePayments(paymentTypes: PaymentTypes) {
  return defineService({
    name: 'payments',
    config,
    adapters,
    open: openDeps,
    app: (deps) => app(deps, paymentTypes),
  });
}

/** Payment drafts, their approval in signing baskets and their settlement (§3, §4.4). */
export const payments = definePayments(PAYMENT_TYPES);
