/** Digits of a domestic account number in an IBAN, by country (ISO 13616 registry). */
const BBAN_LENGTHS: Readonly<Record<string, number>> = { DK: 14, NO: 11, SE: 20 };

/** Whether the characters, without separators, have the form of an IBAN of any country. */
export function looksLikeIban(characters: string): boolean {
  return /^[A-Z]{2}\d{2}[A-Z\d]{8,30}$/i.test(characters);
}

/**
 * Reads the domestic account number out of an IBAN.
 * @param iban without separators
 * @returns undefined when the check digits or the length do not fit, for a country that is not served, and for a Swedish
 *   number that does not contain its clearing number
 */
export function bbanOfIban(iban: string): { country: string; bban: string } | undefined {
  const country = iban.slice(0, 2).toUpperCase();
  const bban = iban.slice(4);
  if (bban.length !== BBAN_LENGTHS[country] || !/^\d+$/.test(bban) || !hasCheckDigits(iban)) return undefined;
  if (country !== 'SE') return { country, bban };
  // A bank code of 3 digits, then the account number with leading zeros; 11 digits are a clearing number and 7 more.
  const account = bban.slice(3).replace(/^0+/, '');
  return account.length === 11 ? { country, bban: account } : undefined;
}

/** Whether the number, its first four characters moved to the end and letters read as 10 to 35, is 1 modulo 97. */
function hasCheckDigits(iban: string): boolean {
  const moved = iban.slice(4) + iban.slice(0, 4);
  return BigInt(moved.replace(/[A-Z]/gi, (letter) => String(parseInt(letter, 36)))) % 97n === 1n;
}
