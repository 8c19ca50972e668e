import { TEXTS } from '../texts.ts';
import {
  luhnSum,
  type NumberVerdict,
  refuse,
  VALID,
  warn,
  withoutSeparators,
} from './number-verdict.model.ts';

/** The two giros of Sweden. */
export type Giro = 'bankgiro' | 'plusgiro';

/** The form of a giro's numbers, and their notation. */
const GIROS: Readonly<Record<Giro, { least: number; most: number; lastGroup: number }>> = {
  bankgiro: { least: 7, most: 8, lastGroup: 4 },
  plusgiro: { least: 2, most: 8, lastGroup: 1 },
};

/** Fewest and most digits of an OCR reference. */
const OCR = { least: 2, most: 25 };

/** Checks a giro number by its length and its check digit (§2.10). */
export function checkGiroNumber(number: string, giro: Giro): NumberVerdict {
  const digits = withoutSeparators(number);
  const { least, most } = GIROS[giro];
  const count = digits.length;
  if (!/^\d+$/.test(digits)) return refuse(TEXTS('giro-characters'));
  if (count < least || count > most) return refuse(TEXTS('giro-length', { count, least, most }));
  if (/^0+$/.test(digits)) return refuse(TEXTS('giro-zeros'));
  return luhnSum(digits) % 10 === 0 ? VALID : refuse(TEXTS('check-digit', { modulus: 10 }));
}

/** A giro number as Swedes write it: 123-4567 or 1234-5678 on bankgiro, 123456-7 on plusgiro. */
export function writtenGiroNumber(number: string, giro: Giro): string {
  const digits = withoutSeparators(number);
  const { lastGroup } = GIROS[giro];
  return `${digits.slice(0, -lastGroup)}-${digits.slice(-lastGroup)}`;
}

/**
 * Checks an OCR reference by its length and its check digit (§2.10). Receivers may agree with their giro on a length
 * digit before it, which nobody else can know: where it would be another one there is a warning.
 */
export function checkOcr(reference: string): NumberVerdict {
  const digits = withoutSeparators(reference);
  const count = digits.length;
  if (!/^\d+$/.test(digits)) return refuse(TEXTS('ocr-characters'));
  if (count < OCR.least || count > OCR.most) return refuse(TEXTS('ocr-length', { count, ...OCR }));
  if (luhnSum(digits) % 10 !== 0) return refuse(TEXTS('check-digit', { modulus: 10 }));
  const expected = count % 10;
  return Number(digits.at(-2)) === expected ? VALID : warn(TEXTS('ocr-length-digit', { expected, count }));
}
