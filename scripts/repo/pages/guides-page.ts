import { type CheckEntry, type CheckId, CHECKS, cureOf } from '@kontoport/certificates';
import { ERROR_CODES, type ErrorCode } from '@kontoport/errors';
import { statusWords } from '@kontoport/http/errors';
import { type Fault, FAULTS } from '@kontoport/issuing';
import { type Blocks, table } from './keep-page.ts';

/** Every check of a certificate with its cure, and the faults of `kontoport qwac mint` that it finds first. */
export function certificateBlocks(): Blocks {
  const faults = Object.entries<Fault>(FAULTS);
  const rows = Object.entries<CheckEntry>(CHECKS).map(([id, { what }]) => [
    `\`${id}\``,
    what,
    cureOf(id as CheckId).in('en'),
    faults
      .filter(([, { check }]) => check === id)
      .map(([name]) => `\`${name}\``)
      .join(', '),
  ]);
  return { checks: table([['Check', 'Requirement', 'Cure', '`--fault`'], ...rows]) };
}

/** Every errorCode as a question. */
export function questionBlocks(): Blocks {
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => {
    const { cause, cure } = ERROR_CODES[code];
    return `### Why do I get ${code}?\n\n${cause.en} ${cure.en} ([${statusWords(code)}](../errors.md#${code.toLowerCase()}))`;
  });
  return { errors: codes.join('\n\n') };
}
