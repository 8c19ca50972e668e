/** A duration: calendar months, and milliseconds. */
export interface Duration {
  months: number;
  milliseconds: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const ISO_8601 =
  /^P(?=\d|T\d)(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

/** Longer than any limit on a duration, and far within the exact range of a number. */
const MAX_SECONDS = 999_999_999;

/**
 * Reads an ISO 8601 duration in whole numbers, such as `P1M` or `PT36H`, or a number of seconds.
 * @returns undefined for anything else, fractions and signs included
 */
export function parseDuration(given: string | number): Duration | undefined {
  if (typeof given === 'number')
    return Number.isInteger(given) && given >= 0 && given <= MAX_SECONDS
      ? { months: 0, milliseconds: given * SECOND }
      : undefined;
  const match = ISO_8601.exec(given);
  if (match === null) return undefined;
  const [years, months, weeks, days, hours, minutes, seconds] = match
    .slice(1)
    .map((text: string | undefined) => Number(text ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    months: years * 12 + months,
    milliseconds: (weeks * 7 + days) * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND,
  };
}

/** Returns the milliseconds that a duration lasts from `start`; a month ends on its last day at the latest (UTC). */
export function lengthOf({ months, milliseconds }: Duration, start: Date): number {
  const end = new Date(start);
  end.setUTCDate(1);
  end.setUTCMonth(start.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(start.getUTCDate(), lastDay));
  // A length beyond the range of a date exceeds every limit.
  const length = end.getTime() - start.getTime() + milliseconds;
  return Number.isNaN(length) ? Infinity : length;
}
