import { existsSync, readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** The options of the command line. */
export interface Options {
  rounds: number;
  /** Deliveries of the fan-out of webhooks. */
  deliveries: number;
  /** Seconds of each rate of postings. */
  seconds: number;
  tracing: boolean;
}

/** A figure, taken once or in several rounds. Its median must keep the budget. */
export interface Figure {
  what: string;
  values: readonly number[];
  /** Default: 2. */
  decimals?: number;
  unit?: string;
  budget?: { atLeast: number } | { atMost: number };
}

/** Prints a figure. @returns whether it keeps its budget */
export function print({ what, values, decimals = 2, unit = '', budget }: Figure): boolean {
  const verdict = { isKept: true, text: '' };
  if (budget !== undefined) {
    const [sign, limit] = 'atLeast' in budget ? ['≥', budget.atLeast] : ['≤', budget.atMost];
    verdict.isKept = sign === '≥' ? median(values) >= limit : median(values) <= limit;
    verdict.text = `; budget ${sign} ${limit}: ${verdict.isKept ? 'met' : 'MISSED'}`;
  }
  const rounds = values.length > 1 ? ` (${range(values, decimals)})` : '';
  console.log(
    `  ${what.padEnd(58)} ${median(values).toFixed(decimals)}${rounds}${unit && ` ${unit}`}${verdict.text}`,
  );
  return verdict.isKept;
}

const range = (values: readonly number[], decimals: number): string =>
  `${Math.min(...values).toFixed(decimals)} to ${Math.max(...values).toFixed(decimals)}`;

/**
 * Measures sides in turn, every other round backwards, so that other work of the machine meets all alike.
 * @returns the results of each side, by round
 */
export async function inTurns<Side, Result>(
  sides: readonly Side[],
  rounds: number,
  measure: (side: Side) => Promise<Result>,
): Promise<Result[][]> {
  const results = sides.map((): Result[] => []);
  const order = sides.map((side, at) => ({ side, at }));
  for (let round = 0; round < rounds; round++)
    for (const { side, at } of round % 2 === 0 ? order : order.toReversed())
      results[at]!.push(await measure(side));
  return results;
}

/** Divides by round. */
export const ratios = (ones: readonly number[], others: readonly number[]): number[] =>
  ones.map((one, round) => one / others[round]!);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The percentile of some values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}

/** Processor seconds, user and system, of a process so far (Linux; 0 elsewhere). */
export const cpuSeconds = (pid: number): number => ticksOf(statOf(pid), 11, 13) / TICKS_PER_SECOND;

/** The same of a process and all its children, the ended ones included. */
export function familySeconds(pid: number): number {
  let ticks = ticksOf(statOf(pid), 11, 15);
  for (const id of existsSync('/proc') ? readdirSync('/proc') : []) {
    const fields = /^\d+$/.test(id) ? statOf(Number(id)) : [];
    if (fields[1] === String(pid)) ticks += ticksOf(fields, 11, 13);
  }
  return ticks / TICKS_PER_SECOND;
}

/** The process that started this one (Linux; 0 elsewhere). */
export const parentOf = (pid: number): number => Number(statOf(pid)[1] ?? 0);

/** The latest process that this one started with these words in its command (Linux; 0 elsewhere). */
export function childOf(words: string): number {
  const ids = existsSync('/proc') ? readdirSync('/proc').filter((id) => /^\d+$/.test(id)) : [];
  const isOurs = (id: string): boolean =>
    parentOf(Number(id)) === process.pid && readText(`/proc/${id}/cmdline`).includes(words);
  return Math.max(0, ...ids.filter(isOurs).map(Number));
}

/** Resident memory of a process in MB (Linux; 0 elsewhere). */
export const memoryMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

/** The fields of Linux's status of a process, from its state on; none for an ended one. */
const statOf = (pid: number): string[] => readText(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];

const ticksOf = (stat: readonly string[], from: number, to: number): number =>
  stat.slice(from, to).reduce((ticks, field) => ticks + Number(field), 0);

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
