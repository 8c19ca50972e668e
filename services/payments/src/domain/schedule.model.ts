import { bankingDayFrom, bankingDayUntil } from './calendar/banking-days.model.ts';
import type { Country } from './calendar/country-time.model.ts';
import { addDays, dayNumber, dayOfMonth, type LocalDate, partsOf } from './calendar/local-date.model.ts';

/** The interval of a standing order (§4.5, NextGenPSD2): a number of days or of months. */
const STEPS = {
  Daily: { days: 1 },
  Weekly: { days: 7 },
  EveryTwoWeeks: { days: 14 },
  Monthly: { months: 1 },
  EveryTwoMonths: { months: 2 },
  Quarterly: { months: 3 },
  SemiAnnual: { months: 6 },
  Annual: { months: 12 },
} as const satisfies Record<string, { days: number } | { months: number }>;

export type Frequency = keyof typeof STEPS;

export const FREQUENCIES = Object.keys(STEPS) as [Frequency, ...Frequency[]];

/** Moves a run from a bank holiday: to the banking day before or after. */
export const EXECUTION_RULES = ['following', 'preceding'] as const;

export type ExecutionRule = (typeof EXECUTION_RULES)[number];

/** The schedule of a standing order (§4.5). */
export interface Schedule {
  /** No run is executed before it. */
  readonly startDate: LocalDate;
  /** The last day that a run may be planned for. */
  readonly endDate?: LocalDate | undefined;
  readonly frequency: Frequency;
  /** 1 to 31, for frequencies in months; in a shorter month it means the last day. Default: the day of `startDate`. */
  readonly dayOfExecution?: number | undefined;
  readonly executionRule: ExecutionRule;
}

/** A run that is to come. */
export interface PlannedRun {
  /** From 0, in the order of the days. */
  readonly index: number;
  /** A banking day. */
  readonly executionDate: LocalDate;
}

/** Whether a frequency counts in months, so that a day of execution means something. */
export function isOfMonths(frequency: Frequency): boolean {
  return 'months' in STEPS[frequency];
}

/** The run of that index; undefined when the schedule ends before it. */
export function plannedRun(schedule: Schedule, index: number, country: Country): PlannedRun | undefined {
  const planned = plannedDay(schedule, index);
  const { startDate, endDate, executionRule } = schedule;
  if (endDate !== undefined && planned > endDate) return undefined;
  const before = bankingDayUntil(country, planned);
  const early = executionRule === 'preceding' && before >= startDate;
  return { index, executionDate: early ? before : bankingDayFrom(country, planned) };
}

/**
 * Returns the last of the runs from `index` on that were to be executed by `today`; earlier ones are not made up for (§4.5).
 * Undefined when none is due yet.
 */
export function lastRunBy(
  schedule: Schedule,
  { index, today, country }: { index: number; today: LocalDate; country: Country },
): PlannedRun | undefined {
  const { endDate = today } = schedule;
  // No run moves by a week: every run planned for that day is over.
  const passed = addDays(today < endDate ? today : endDate, -7);
  let last: PlannedRun | undefined;
  for (let i = Math.max(index, indexNear(schedule, passed)); ; i++) {
    const run = plannedRun(schedule, i, country);
    if (run === undefined || run.executionDate > today) return last;
    last = run;
  }
}

/** An index whose day is planned by `date`, few before the last one; 0 where there is none. */
function indexNear(schedule: Schedule, date: LocalDate): number {
  const { startDate, frequency } = schedule;
  const step = STEPS[frequency];
  if ('days' in step) return Math.max(0, Math.floor((dayNumber(date) - dayNumber(startDate)) / step.days));
  const [first, last] = [partsOf(startDate), partsOf(date)];
  const months = 12 * (last.year - first.year) + last.month - first.month;
  // The day may lie later in its month, and the first run in the month after `startDate`.
  return Math.max(0, Math.floor(months / step.months) - 2);
}

/** The day of a run before the calendar of banking days applies. */
function plannedDay({ startDate, frequency, dayOfExecution }: Schedule, index: number): LocalDate {
  const step = STEPS[frequency];
  if ('days' in step) return addDays(startDate, index * step.days);
  const { year, month, day: startDay } = partsOf(startDate);
  const day = dayOfExecution ?? startDay;
  const first = dayOfMonth({ year, month, day }) < startDate ? month + 1 : month;
  return dayOfMonth({ year, month: first + index * step.months, day });
}
