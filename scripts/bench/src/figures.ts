import { readFileSync } from 'node:fs';

/** The middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** "median (lowest to highest)" with so many decimals. */
export function spread(figures: readonly number[], decimals = 0): string {
  const text = (figure: number): string => figure.toFixed(decimals);
  return `${text(median(figures))} (${text(Math.min(...figures))} to ${text(Math.max(...figures))})`;
}

/** Processor seconds, user and system, that a process has used so far (Linux; 0 elsewhere). */
export function cpuSeconds(pid: number): number {
  const TICKS_PER_SECOND = 100;
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** Resident and proportional memory of a process in MB (Linux; 0 elsewhere). */
export function memoryMb(pid: number): { resident: number; proportional: number } {
  const kb = (file: string, field: string): number => {
    try {
      return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  };
  return {
    resident: kb(`/proc/${pid}/status`, 'VmRSS') / 1024,
    proportional: kb(`/proc/${pid}/smaps_rollup`, 'Pss') / 1024,
  };
}
