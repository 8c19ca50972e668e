/** A day of the calendar, without time or zone: `YYYY-MM-DD`, so that days are compared as strings are. */
export type LocalDate = string;

const DAY_MS = 86_400_000;

/** Days since 1970-01-01. */
export function dayNumber(date: LocalDate): number {
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS;
}

/** The day with that number. */
export function dateOf(day: number): LocalDate {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function addDays(date: LocalDate, days: number): LocalDate {
  return dateOf(dayNumber(date) + days);
}

/** 1 is Monday, 7 is Sunday (ISO 8601). */
export function weekday(date: LocalDate): number {
  return ((((dayNumber(date) + 3) % 7) + 7) % 7) + 1;
}

/** The parts of a day; `month` from 1 to 12. */
export interface DateParts {
  year: number;
  month: number;
  day: number;
}

export function partsOf(date: LocalDate): DateParts {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return { year, month, day };
}

/**
 * The day of a month; of a shorter month its last one.
 * @param of.month may be beyond 12: months are counted on into the next years
 */
export function dayOfMonth({ year, month, day }: DateParts): LocalDate {
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return dateOf(Date.UTC(year, month - 1, Math.min(day, last)) / DAY_MS);
}
