// payments as the sandbox runs it, but with the store of production, which keeps its records after a crash.
import { runService } from '@kontoport/service';
import { adapters } from '../src/adapters.ts';
import { PAYMENT_TYPES } from '../src/domain/payment-types/payment-types.ts';
import { definePayments } from '../src/service.ts';

const { paymentStore } = adapters.production;

await runService(
  definePayments(PAYMENT_TYPES, { ...adapters, sandbox: { ...adapters.sandbox, paymentStore } }),
);
