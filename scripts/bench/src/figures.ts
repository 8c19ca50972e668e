import { existsSync, readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** The middle of some figures. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** What so many in a hundred of some figures do not exceed. */
export function percentile(figures: readonly number[], percent: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)] ?? NaN;
}

/** "median (lowest to highest)" with so many decimals. */
export function spread(figures: readonly number[], decimals = 0): string {
  const text = (figure: number): string => figure.toFixed(decimals);
  return `${text(median(figures))} (${text(Math.min(...figures))} to ${text(Math.max(...figures))})`;
}

/** Processor seconds, user and system, that a process has used so far (Linux; 0 elsewhere). */
export const cpuSeconds = (pid: number): number => ticksOf(statOf(pid), 11, 13) / TICKS_PER_SECOND;

/** The same of the children of this process that have ended, and of theirs. */
export const childrenCpuSeconds = (): number => ticksOf(statOf('self'), 13, 15) / TICKS_PER_SECOND;

/** The same of a process and all its children, the ended ones included. */
export function familySeconds(pid: number): number {
  let ticks = ticksOf(statOf(pid), 11, 15);
  for (const id of existsSync('/proc') ? readdirSync('/proc') : []) {
    const fields = /^\d+$/.test(id) ? statOf(id) : [];
    if (fields[1] === String(pid)) ticks += ticksOf(fields, 11, 13);
  }
  return ticks / TICKS_PER_SECOND;
}

/** The same of all processes of the machine, and of other machines on its host that kept it from working. */
export function machineSeconds(): number {
  try {
    const [user, nice, system, , , interrupts, softInterrupts, stolen] = readFileSync('/proc/stat', 'utf8')
      .split('\n')[0]!
      .split(/\s+/)
      .slice(1)
      .map(Number) as [number, number, number, number, number, number, number, number];
    return (user + nice + system + interrupts + softInterrupts + stolen) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** The process that started this one (Linux; 0 elsewhere). */
export function parentOf(pid: number): number {
  return Number(statOf(pid)[1] ?? 0);
}

/** The process that this one started with these words in its command (Linux; 0 elsewhere); the latest of several. */
export function childOf(words: string): number {
  const ids = existsSync('/proc') ? readdirSync('/proc').filter((id) => /^\d+$/.test(id)) : [];
  const own = ids.filter((id) => parentOf(Number(id)) === process.pid && commandOf(id).includes(words));
  return Math.max(0, ...own.map(Number));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
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

/** What Linux says of a process, from its state on; nothing of one that is gone. */
function statOf(pid: number | string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  } catch {
    return [];
  }
}

function ticksOf(stat: readonly string[], from: number, to: number): number {
  return stat.slice(from, to).reduce((ticks, field) => ticks + Number(field), 0);
}
