import { formatMoney } from '@kontoport/money';

/** Content type of the answers that are written as text. */
export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** The JSON number of whole minor units with exactly the currency's decimals: never a floating-point number. */
export function amountNumber(minorUnits: bigint | string, currency: string): string {
  return formatMoney({ minorUnits: BigInt(minorUnits), currency });
}

/** The JSON text of an amount object (specification §2.3). */
export function amountJson(minorUnits: bigint | string, currency: string): string {
  return `{"amount":${amountNumber(minorUnits, currency)},"currency":"${currency}"}`;
}
