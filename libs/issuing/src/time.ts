import { derElement, TAG } from '@kontoport/certificates';

/** `by-year`: UTCTime to 2049, GeneralizedTime from 2050 (RFC 5280 §4.1.2.5). */
export type TimeForm = 'by-year' | 'generalized';

/** A moment in DER, in whole seconds. */
export function derTime(date: Date, form: TimeForm): Uint8Array {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return form === 'generalized' || date.getUTCFullYear() >= 2050
    ? derElement(TAG.generalizedTime, Buffer.from(digits, 'latin1'))
    : derElement(TAG.utcTime, Buffer.from(digits.slice(2), 'latin1'));
}
