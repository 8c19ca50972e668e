const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|([+-])(\d{2})(?::?(\d{2}))?)?)?$/i;
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');
const MINUTE_MS = 60_000;

/**
 * Reads a `from` or `to` (§4.3): ISO 8601 with zone, without zone (UTC), or a date alone, which is
 * 12:00:00.000 UTC of that day. The first and last instants of a client's library, which a zone or a fraction can carry
 * out of the years 1 to 9999, become the first and last millisecond of these years.
 * @param finer where digits below a millisecond go: `up` keeps what lies strictly before such an instant
 * @returns ISO 8601 UTC with milliseconds; undefined for anything else, impossible dates included
 */
export function parseInstant(text: string, finer: 'down' | 'up'): string | undefined {
  const match = ISO_8601.exec(text);
  if (!match || text.startsWith('0000')) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', , sign, zoneHour, zoneMinute = '0'] = match;
  const date = [Number(year), Number(month), Number(day)] as const;
  const time =
    hour === undefined
      ? ([12, 0, 0, 0] as const)
      : ([
          Number(hour),
          Number(minute),
          Number(second ?? 0),
          Number(fraction.slice(0, 3).padEnd(3, '0')),
        ] as const);

  const local = new Date(0);
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  local.setUTCFullYear(date[0], date[1] - 1, date[2]);
  local.setUTCHours(...time);
  const kept =
    local.getUTCMonth() === date[1] - 1 &&
    local.getUTCDate() === date[2] &&
    local.getUTCHours() === time[0] &&
    local.getUTCMinutes() === time[1] &&
    local.getUTCSeconds() === time[2];
  if (!kept) return undefined;

  let offset = 0;
  if (zoneHour !== undefined) {
    if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return undefined;
    offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1);
  }
  const rounding = finer === 'up' && /[1-9]/.test(fraction.slice(3)) ? 1 : 0;
  const instant = local.getTime() - offset * MINUTE_MS + rounding;
  return new Date(Math.min(Math.max(instant, EARLIEST), LATEST)).toISOString();
}
