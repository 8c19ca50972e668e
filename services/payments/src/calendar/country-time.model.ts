import type { Country } from '../account-numbers/bban.model.ts';
import type { LocalDate } from './local-date.model.ts';

const ZONES: Readonly<Record<Country, string>> = {
  DK: 'Europe/Copenhagen',
  NO: 'Europe/Oslo',
  SE: 'Europe/Stockholm',
};

/** Milliseconds that the clocks of all three countries are ahead of UTC, in summer and in winter. */
const AHEAD_MS = [7_200_000, 3_600_000];

const formats = new Map(
  Object.entries(ZONES).map(([country, timeZone]) => [
    country,
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }),
  ]),
);

/** The day that it is in the country at a moment. */
export function dateIn(country: Country, moment: Date): LocalDate {
  return formats.get(country)!.format(moment);
}

/** The moment at which a day begins in the country. */
export function beginOf(country: Country, date: LocalDate): Date {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const begins = AHEAD_MS.map((ahead) => new Date(midnight - ahead));
  // An hour too early it is still the day before.
  return begins.find((moment) => dateIn(country, moment) === date)!;
}
