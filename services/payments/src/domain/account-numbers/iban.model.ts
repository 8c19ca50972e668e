/**
 * Digits of a domestic account number in an IBAN, by country (ISO 13616, IBAN registry): Denmark 4 of the bank and 10 of the
 * account, Norway 4, 6 and a check digit, Sweden 3 of the bank and 17 of the account.
 */
const BBAN_LENGTHS: Readonly<Record<string, number>> = { DK: 14, NO: 11, SE: 20 };

/** The IBAN of any country that the characters, without separators, have the form of; a label before it is left out. */
export function readIban(characters: string): string | undefined {
  return /^(?:IBAN:?)?([A-Z]{2}\d{2}[A-Z\d]{8,30})$/i.exec(characters)?.[1];
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
  // After the bank's 3 digits come the clearing number and 7 digits, all 15 digits of a number from 80000 to 89999, or an
  // account number whose clearing number nobody can know (Bankinfrastruktur, "IBAN och svenskt nationellt kontonummer").
  const account = bban.slice(3).replace(/^0+/, '');
  return account.length === 11 || /^8\d{14}$/.test(account) ? { country, bban: account } : undefined;
}

/** Whether the number, its first four characters moved to the end and letters read as 10 to 35, is 1 modulo 97. */
function hasCheckDigits(iban: string): boolean {
  const moved = iban.slice(4) + iban.slice(0, 4);
  return BigInt(moved.replace(/[A-Z]/gi, (letter) => String(parseInt(letter, 36)))) % 97n === 1n;
}
