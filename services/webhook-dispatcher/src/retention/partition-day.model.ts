/** A day in UTC, such as `2026-11-22`. */
export type Day = string;

const DAY_MS = 24 * 60 * 60_000;

/** Returns the day of an instant. */
export function dayOf(time: Date): Day {
  return time.toISOString().slice(0, 10);
}

/** Returns the next day. */
export function dayAfter(day: Day): Day {
  return dayOf(new Date(Date.parse(day) + DAY_MS));
}

/** Returns the first day that is kept: a day is dropped once all of it is older than the retention (§6). */
export function firstRetainedDay({ now, retentionMs }: { now: Date; retentionMs: number }): Day {
  return dayOf(new Date(now.getTime() - retentionMs));
}

/** Returns the name of the partition for a day. */
export function partitionName(table: string, day: Day): string {
  return `${table}_${day.replaceAll('-', '')}`;
}

/** Returns the day of a partition; undefined for other tables. */
export function dayOfPartition(name: string): Day | undefined {
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return year && `${year}-${month}-${day}`;
}
