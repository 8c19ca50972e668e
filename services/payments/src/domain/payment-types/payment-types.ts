import { domesticCreditTransfer } from './domestic-credit-transfer.ts';
import type { PaymentTypes } from './payment-type.ts';
import { swedishBankGiro, swedishPlusGiro } from './swedish-giro.ts';

/** The payment types of the interface (§4.4): a new one is a row. */
export const PAYMENT_TYPES = {
  'domestic-credit-transfer': domesticCreditTransfer,
  'swedish-bank-giro': swedishBankGiro,
  'swedish-plus-giro': swedishPlusGiro,
} as const satisfies PaymentTypes;
