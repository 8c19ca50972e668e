import type { LocalDate } from './local-date.model.ts';

/** Countries with domestic credit transfers; ISO 3166-1 alpha-2. */
export type Country = 'DK' | 'NO' | 'SE';

const COUNTRIES: Readonly<Record<string, Country>> = { DKK: 'DK', NOK: 'NO', SEK: 'SE' };

/** The country whose account numbers a currency's transfers go to. */
export function countryOfCurrency(currency: string): Country | undefined {
  return Object.hasOwn(COUNTRIES, currency) ? COUNTRIES[currency] : undefined;
}

const ZONES: Readonly<Record<Country, string>> = {
  DK: 'Europe/Copenhagen',
  NO: 'Europe/Oslo',
  SE: 'Europe/Stockholm',
};

/** Milliseconds that the clocks of all three countries are ahead of UTC, in summer and in winter. */
const AHEAD_MS = [7_200_000, 3_600_000];

/** Made when they are first needed: each takes some milliseconds. */
const formats = new Map<Country, Intl.DateTimeFormat>();

function formatOf(country: Country): Intl.DateTimeFormat {
  const known = formats.get(country);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: ZONES[country],
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  formats.set(country, format);
  return format;
}

/** The day that it is in the country at a moment. */
export function dateIn(country: Country, moment: Date): LocalDate {
  return formatOf(country).format(moment);
}

/** The moment at which a day begins in the country. */
export function beginOf(country: Country, date: LocalDate): Date {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const begins = AHEAD_MS.map((ahead) => new Date(midnight - ahead));
  // An hour too early it is still the day before.
  return begins.find((moment) => dateIn(country, moment) === date)!;
}

/** A moment, and how far the client's own time is ahead of it. */
export interface ClientTime {
  /** By the clock of the service. */
  readonly now: Date;
  /** Milliseconds; 0 in production. */
  readonly aheadMs: number;
}

/** The country on whose banking days an account pays, by its currency. */
export function countryOf({ currency }: { currency: string }): Country {
  const country = countryOfCurrency(currency);
  if (country === undefined) throw new Error(`nothing is paid from accounts in ${currency}`);
  return country;
}

/** The day that it is for the client, in a country. */
export function todayOf({ now, aheadMs }: ClientTime, country: Country): LocalDate {
  return dateIn(country, new Date(now.getTime() + aheadMs));
}

/** The time at which a day of the client begins in a country, by the clock of the service. */
export function beginsAt(date: LocalDate, { aheadMs }: Pick<ClientTime, 'aheadMs'>, country: Country): Date {
  return new Date(beginOf(country, date).getTime() - aheadMs);
}
