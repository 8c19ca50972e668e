/** The number of an account; the IBAN is empty where the bank does not tell it. */
export interface AccountNumber {
  bban: string;
  iban: string;
  /** ISO 4217. */
  currency: string;
}

const COUNTRIES: Readonly<Record<string, string>> = { DKK: 'DK', SEK: 'SE', NOK: 'NO' };

/** How a BBAN is written in its country: the digits of which group are set apart by what. */
const WRITTEN: Readonly<Record<string, { digits: RegExp; as: string }>> = {
  DK: { digits: /^(\d{4})(\d{10})$/, as: '$1 $2' },
  SE: { digits: /^(\d{4})(\d{7,10})$/, as: '$1-$2' },
  NO: { digits: /^(\d{4})(\d{2})(\d{5})$/, as: '$1.$2.$3' },
};

/** The BBAN as people in its country write it; where we do not know how, as it is. */
export function writtenAccountNumber({ bban, iban, currency }: AccountNumber): string {
  const rule = WRITTEN[iban.slice(0, 2) || (COUNTRIES[currency] ?? '')];
  return rule === undefined ? bban : bban.replace(rule.digits, rule.as);
}
