import { CERTIFICATE_FAULTS } from './certificate-faults.ts';
import type { Fault } from './fault.ts';
import { PATH_FAULTS } from './path-faults.ts';
import { STATEMENT_FAULTS } from './statement-faults.ts';

/** Every named fault: a certificate with one fault, and the check that must report it first. */
export const FAULTS = {
  ...CERTIFICATE_FAULTS,
  ...STATEMENT_FAULTS,
  ...PATH_FAULTS,
} satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;

export const isFaultName = (text: string): text is FaultName => Object.hasOwn(FAULTS, text);

/** The faults as a readable table: the refused ones, and those with a warning. */
export function faultList(): string {
  const all = Object.entries<Fault>(FAULTS);
  const nameWidth = Math.max(...all.map(([name]) => name.length)) + 2;
  const checkWidth = Math.max(...all.map(([, { check }]) => check.length)) + 2;
  const rows = (result: Fault['result']) =>
    all
      .filter(([, fault]) => fault.result === result)
      .map(
        ([name, { check, summary }]) => `  ${name.padEnd(nameWidth)}${check.padEnd(checkWidth)}${summary}`,
      );
  return [
    'Refused: the fault, the check that fails first, what is wrong',
    '',
    ...rows(undefined),
    '',
    'Accepted with a warning: the fault, the check that warns first, what is unusual',
    '',
    ...rows('warning'),
  ].join('\n');
}
