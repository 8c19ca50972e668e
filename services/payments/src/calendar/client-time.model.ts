import { type Country, countryOfCurrency } from '../account-numbers/bban.model.ts';
import { beginOf, dateIn } from './country-time.model.ts';
import type { LocalDate } from './local-date.model.ts';

/** A moment, and how far the client's own time is ahead of it. */
export interface ClientTime {
  /** By the clock of the service. */
  readonly now: Date;
  /** Milliseconds; 0 in production. */
  readonly aheadMs: number;
}

/** The country on whose banking days an account pays; its currency says which. */
export function countryOf({ currency }: { currency: string }): Country {
  const country = countryOfCurrency(currency);
  if (country === undefined) throw new Error(`nothing is paid from accounts in ${currency}`);
  return country;
}

/** The day that it is for the client, in a country. */
export function todayOf({ now, aheadMs }: ClientTime, country: Country): LocalDate {
  return dateIn(country, new Date(now.getTime() + aheadMs));
}

/** When a day of the client begins in a country, by the clock of the service. */
export function beginsAt(date: LocalDate, { aheadMs }: Pick<ClientTime, 'aheadMs'>, country: Country): Date {
  return new Date(beginOf(country, date).getTime() - aheadMs);
}
