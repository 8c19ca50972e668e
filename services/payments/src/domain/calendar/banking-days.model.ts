import type { Country } from './country-time.model.ts';
import { addDays, dateOf, dayNumber, type LocalDate, partsOf, weekday } from './local-date.model.ts';

/** The days of a year, beside Saturdays and Sundays, on which the banks of a country are closed. */
interface ClosedDays {
  /** `MM-DD`, each year. */
  readonly fixed: ReadonlySet<string>;
  /** Days after Easter Sunday. */
  readonly fromEaster: ReadonlySet<number>;
  /** The Friday between 19 and 25 June. */
  readonly midsummerEve?: true;
}

const MAUNDY_THURSDAY = -3;
const GOOD_FRIDAY = -2;
const EASTER_MONDAY = 1;
const ASCENSION = 39;
const DAY_AFTER_ASCENSION = 40;
const WHIT_MONDAY = 50;

/** The calendars of the central banks' settlement, from 2024 on: Denmark's Great Prayer Day ended with 2023. */
const CLOSED: Readonly<Record<Country, ClosedDays>> = {
  DK: {
    fixed: new Set(['01-01', '06-05', '12-24', '12-25', '12-26', '12-31']),
    fromEaster: new Set([
      MAUNDY_THURSDAY,
      GOOD_FRIDAY,
      EASTER_MONDAY,
      ASCENSION,
      DAY_AFTER_ASCENSION,
      WHIT_MONDAY,
    ]),
  },
  NO: {
    fixed: new Set(['01-01', '05-01', '05-17', '12-24', '12-25', '12-26']),
    fromEaster: new Set([MAUNDY_THURSDAY, GOOD_FRIDAY, EASTER_MONDAY, ASCENSION, WHIT_MONDAY]),
  },
  SE: {
    fixed: new Set(['01-01', '01-06', '05-01', '06-06', '12-24', '12-25', '12-26', '12-31']),
    fromEaster: new Set([GOOD_FRIDAY, EASTER_MONDAY, ASCENSION]),
    midsummerEve: true,
  },
};

/** Whether the banks of the country are open for payments that day. */
export function isBankingDay(country: Country, date: LocalDate): boolean {
  if (weekday(date) >= 6) return false;
  const { fixed, fromEaster, midsummerEve = false } = CLOSED[country];
  const { year, month, day } = partsOf(date);
  if (fixed.has(date.slice(-5)) || fromEaster.has(dayNumber(date) - easterDay(year))) return false;
  return !(midsummerEve && month === 6 && day >= 19 && day <= 25 && weekday(date) === 5);
}

/** The day itself where it is a banking day, otherwise the next one. */
export function bankingDayFrom(country: Country, date: LocalDate): LocalDate {
  return isBankingDay(country, date) ? date : bankingDayFrom(country, addDays(date, 1));
}

/** The day itself where it is a banking day, otherwise the one before. */
export function bankingDayUntil(country: Country, date: LocalDate): LocalDate {
  return isBankingDay(country, date) ? date : bankingDayUntil(country, addDays(date, -1));
}

/** Easter Sunday of a year (Gregorian). */
export function easterSunday(year: number): LocalDate {
  return dateOf(easterDay(year));
}

/** Its day number, by the rule of the anonymous Gregorian computus. */
function easterDay(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const leapCenturies = Math.floor(century / 4);
  const moonShift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - leapCenturies - moonShift + 15) % 30;
  const ofCentury = year % 100;
  const sunday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * sunday) / 451);
  // Days after 22 March.
  return dayNumber(`${String(year).padStart(4, '0')}-03-22`) + epact + sunday - 7 * late;
}
