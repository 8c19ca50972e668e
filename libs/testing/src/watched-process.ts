import { join } from 'node:path';
import { ANSWER_FAULT } from './documented-answers.ts';

const WATCH = join(import.meta.dirname, 'watch-answers.ts');

/** Collects the faults of a test file; absent outside of Jest, so that a bench is not affected. */
const faults = (globalThis as { kontoportAnswerFaults?: string[] }).kontoportAnswerFaults;

/** Arguments for Node by which a process checks its answers; none outside of tests. */
export const WATCH_ARGUMENTS: readonly string[] = faults === undefined ? [] : ['--import', WATCH];

/** Turns a fault that a watched process logged into one of the present test; ignores other log lines. */
export function reportAnswerFault(line: string): void {
  if (!line.includes(ANSWER_FAULT)) return;
  const { fault } = JSON.parse(line) as { fault: string };
  faults?.push(fault);
}
