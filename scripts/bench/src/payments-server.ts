// payments as the sandbox runs it, but with the store that STORE names: memory or postgres.
import { runService } from '@kontoport/service';
import { adapters } from '../../../services/payments/src/adapters.ts';
import { PAYMENT_TYPES } from '../../../services/payments/src/payment-types/payment-types.ts';
import { definePayments } from '../../../services/payments/src/service.ts';

const { paymentStore } = process.env.STORE === 'postgres' ? adapters.production : adapters.sandbox;

await runService(
  definePayments(PAYMENT_TYPES, { ...adapters, sandbox: { ...adapters.sandbox, paymentStore } }),
);
