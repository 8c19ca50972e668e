/** A day in UTC, such as `2026-11-22`. */
export type Day = string;

const DAY_MS = 24 * 60 * 60_000;

/** The day of an instant. */
export function dayOf(time: Date): Day {
  return time.toISOString().slice(0, 10);
}

/** The day after. */
export function dayAfter(day: Day): Day {
  return dayOf(new Date(Date.parse(day) + DAY_MS));
}

/** The first day that is kept: history goes by whole days, none before all of it is older than the retention (§6). */
export function firstRetainedDay({ now, retentionMs }: { now: Date; retentionMs: number }): Day {
  return dayOf(new Date(now.getTime() - retentionMs));
}

/** The part of a table that holds a day. */
export function partitionName(table: string, day: Day): string {
  return `${table}_${day.replaceAll('-', '')}`;
}

/** The day that a part of a table holds; undefined for what is no such part. */
export function dayOfPartition(name: string): Day | undefined {
  const [, year, month, day] = /_(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  return year && `${year}-${month}-${day}`;
}
