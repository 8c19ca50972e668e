import { type AdapterTable, defineService } from '@kontoport/service';
import { type Adapters, adapters } from './adapters.ts';
import { app } from './app.ts';
import { config } from './config.ts';
import { openDeps } from './deps.ts';
import type { PaymentTypes } from './domain/payment-types/payment-type.ts';
import { PAYMENT_TYPES } from './domain/payment-types/payment-types.ts';

/** The service with its payment types and adapters. */
export function definePayments(paymentTypes: PaymentTypes, table: AdapterTable<Adapters> = adapters) {
  return defineService({
    name: 'payments',
    config,
    adapters: table,
    open: openDeps,
    app: (deps) => app(deps, paymentTypes),
  });
}

/** Payment drafts, their approval in signing baskets and their settlement (§3, §4.4). */
export const payments = definePayments(PAYMENT_TYPES);
