const DAY_MS = 86_400_000;

/** A day by UTC that is over. */
export interface Day {
  /** `YYYY-MM-DD` */
  date: string;
  /** Its last millisecond. */
  end: Date;
}

/**
 * The days of a quarter that are over, oldest first; none of one that has not begun.
 * @param quarter such as `2026-Q3`; undefined for what is none
 */
export function daysOf(quarter: string, now: Date): Day[] | undefined {
  const [, year, number] = /^(20\d\d)-Q([1-4])$/.exec(quarter) ?? [];
  if (year === undefined) return undefined;
  const first = Date.UTC(Number(year), 3 * (Number(number) - 1));
  const next = Date.UTC(Number(year), 3 * Number(number));
  return Array.from({ length: (next - first) / DAY_MS }, (_, at) => {
    const begin = first + at * DAY_MS;
    return { date: new Date(begin).toISOString().slice(0, 10), end: new Date(begin + DAY_MS - 1) };
  }).filter(({ end }) => end < now);
}
