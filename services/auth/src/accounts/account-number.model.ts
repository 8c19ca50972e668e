/** The number of an account; the IBAN is empty when the bank sends none. */
interface AccountNumber {
  bban: string;
  iban: string;
  /** ISO 4217. */
  currency: string;
}

const COUNTRIES: Readonly<Record<string, string>> = { DKK: 'DK', SEK: 'SE', NOK: 'NO' };

/** The grouping of a BBAN's digits in each country. */
const FORMATS: Readonly<Record<string, { digits: RegExp; as: string }>> = {
  DK: { digits: /^(\d{4})(\d{10})$/, as: '$1 $2' },
  SE: { digits: /^(\d{4})(\d{7,10})$/, as: '$1-$2' },
  NO: { digits: /^(\d{4})(\d{2})(\d{5})$/, as: '$1.$2.$3' },
};

/** Formats a BBAN as its country does; unchanged where the country's form is unknown. */
export function formatAccountNumber({ bban, iban, currency }: AccountNumber): string {
  const rule = FORMATS[iban.slice(0, 2) || (COUNTRIES[currency] ?? '')];
  return rule === undefined ? bban : bban.replace(rule.digits, rule.as);
}
