import { formatMoney } from '@kontoport/money';

/** The JSON number of whole minor units with exactly the currency's decimals: never a floating-point number. */
export function amountNumber(minorUnits: bigint | string, currency: string): string {
  return formatMoney({ minorUnits: BigInt(minorUnits), currency });
}

/** The JSON text of an amount object (specification §2.3). */
export function amountJson(minorUnits: bigint | string, currency: string): string {
  return `{"amount":${amountNumber(minorUnits, currency)},"currency":"${currency}"}`;
}
