/** A national account number with its international form. */
export interface AccountNumber {
  bban: string;
  iban: string;
}

/** Danish: 4 digits registration number, 10 digits account number; it has no check digit of its own. */
export function danish(registration: string, account: string): AccountNumber {
  const bban = registration + account;
  return { bban, iban: iban('DK', bban) };
}

/** Norwegian: 10 digits and a check digit modulo 11. */
export function norwegian(digits: string): AccountNumber {
  const bban = digits + checkDigit11('NO', digits);
  return { bban, iban: iban('NO', bban) };
}

/**
 * Swedish, of the kind whose check digit covers the clearing number: 4 digits clearing, 6 digits account and a check
 * digit modulo 11. The IBAN has the bank's code (3 digits) before it, and zeros between.
 */
export function swedish(clearing: string, digits: string): AccountNumber {
  const bban = clearing + digits + checkDigit11('SE', clearing + digits);
  return { bban, iban: iban('SE', clearing.slice(0, 3) + bban.padStart(17, '0')) };
}

/** Weights of the digits before the check digit, from the right. */
const WEIGHTS = { NO: [2, 3, 4, 5, 6, 7, 2, 3, 4, 5], SE: [2, 3, 4, 5, 6, 7, 8, 9, 10, 1] };

function checkDigit11(country: 'NO' | 'SE', digits: string): string {
  const sum = WEIGHTS[country].reduce((total, weight, at) => total + weight * Number(digits.at(-1 - at)), 0);
  const check = (11 - (sum % 11)) % 11;
  if (check === 10) throw new Error('these digits have no check digit: no bank gives such a number out');
  return String(check);
}

/** ISO 13616 with its check digits modulo 97. */
export function iban(country: string, bban: string): string {
  const digits = `${bban}${country}00`.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)));
  return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${bban}`;
}
