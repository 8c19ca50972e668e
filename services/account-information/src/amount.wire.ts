import { formatMoney } from '@kontoport/money';
import { z } from 'zod';

/** An amount object (§2.3). */
export const amountAnswer = z
  .object({
    amount: z
      .number()
      .meta({ description: 'A number with exactly the decimals of the currency (ISO 4217).' }),
    currency: z.string().meta({ description: 'ISO 4217, three letters.' }),
  })
  .meta({ id: 'Amount', description: 'Outgoing amounts are negative, incoming ones positive (§2.3).' });

/** A number that JSON.stringify writes as this text, digit for digit. It never was a floating-point number. */
interface ExactNumber {
  readonly rawJSON: string;
}

/** The shape of an answer whose numbers are exact. */
export type Exact<T> = { [K in keyof T]: T[K] extends number | undefined ? ExactNumber : T[K] };

// Not in the types of the language yet (TC39 JSON.parse source text access).
const { rawJSON } = JSON as unknown as { rawJSON(text: string): ExactNumber };

/** Whole minor units as a JSON number with exactly the currency's decimals. */
export function exactAmount(minorUnits: bigint, currency: string): ExactNumber {
  return rawJSON(formatMoney({ minorUnits, currency }));
}

/** An amount object (§2.3); `minorUnits` as PostgreSQL writes a bigint. */
export function amountToWire(minorUnits: string, currency: string): Exact<z.input<typeof amountAnswer>> {
  return { amount: exactAmount(BigInt(minorUnits), currency), currency };
}
