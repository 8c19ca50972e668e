import { fault, type Text } from '@kontoport/errors';
import { z } from 'zod';
import { SHAPE_TEXTS } from './shape-texts.ts';

/**
 * Year, month, day; hour, minute, second, fraction; zone with sign, hours, minutes, seconds. The name of a zone may follow its
 * offset (RFC 9557). Before zones were standardized, their offsets had seconds.
 */
const ISO_8601 =
  /^(\d{4}|[+-]\d{4,12})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,18}))?)?(?:(Z|([+-])(\d{2})(?::?(\d{2})(?::?(\d{2}))?)?)(?:\[[!-Z^-~]{1,64}\])?)?)?$/i;
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');
/** Replaces a year that `Date` or the database cannot hold. */
const LEAP_YEAR = 2000;

/** An instant in UTC with milliseconds, or the fault of its text. */
export type InstantOrFault = { instant: string } | { fault: Text };

/**
 * Reads an ISO 8601 date-time with a zone, without one (UTC), or a date alone, which is 12:00:00.000 UTC of that day (§4.3).
 * Instants outside of the years 1 to 9999, such as the minimum and maximum of a client's library, become the first and last
 * millisecond of these years.
 * @param finer where digits below a millisecond go: `up` keeps what lies strictly before such an instant
 */
export function readInstant(text: string, finer: 'down' | 'up'): InstantOrFault {
  const match = ISO_8601.exec(text);
  if (match === null) return { fault: SHAPE_TEXTS(formFault(text)) };
  const [, year, month, day, hour, minute, second = 0, fraction = '', , sign, ...zone] = match;
  const [zoneHour = 0, zoneMinute = 0, zoneSecond = 0] = zone.map((digits) => Number(digits ?? 0));
  const isHeld = Number(year) >= 1 && Number(year) <= 9999;
  const local = new Date(0);
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  local.setUTCFullYear(isHeld ? Number(year) : LEAP_YEAR, Number(month) - 1, Number(day));
  if (local.getUTCMonth() !== Number(month) - 1 || local.getUTCDate() !== Number(day))
    return { fault: SHAPE_TEXTS('instant-day') };
  if (hour === undefined) local.setUTCHours(12);
  else {
    if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
      return { fault: SHAPE_TEXTS('instant-time') };
    const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
    local.setUTCHours(Number(hour), Number(minute), Number(second), milliseconds);
  }
  if (zoneHour > 23 || zoneMinute > 59 || zoneSecond > 59) return { fault: SHAPE_TEXTS('instant-zone') };
  const offset = ((zoneHour * 60 + zoneMinute) * 60 + zoneSecond) * (sign === '-' ? -1 : 1);
  const rounding = finer === 'up' && /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  const instant = local.getTime() - offset * 1_000 + rounding;
  if (!isHeld) return { instant: new Date(Number(year) < 1 ? EARLIEST : LATEST).toISOString() };
  return { instant: new Date(Math.min(Math.max(instant, EARLIEST), LATEST)).toISOString() };
}

/** Names the mistake of a text that is no ISO 8601 of the accepted form. */
function formFault(text: string): 'instant-number' | 'instant-plus' | 'instant-separator' | 'instant-form' {
  if (/^-?\d{9,}(\.\d+)?$/.test(text)) return 'instant-number';
  if (/^\d{4}-\d\d-\d\dT[\d:.,]+ \d\d(:?\d\d)?$/i.test(text)) return 'instant-plus';
  return /^\d{4}-\d\d-\d\d[ _]\d\d:\d\d/.test(text) ? 'instant-separator' : 'instant-form';
}

/** An instant that a caller types, as ISO 8601 in UTC with milliseconds; see `readInstant`. */
export function instant(finer: 'down' | 'up'): z.ZodType<string, string> {
  return z.string().transform((text, context) => {
    const read = readInstant(text, finer);
    if ('instant' in read) return read.instant;
    context.addIssue({ code: 'custom', ...fault(read.fault) });
    return z.NEVER;
  });
}
