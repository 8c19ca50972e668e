import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckAnswer, createAnswerCheck } from '@kontoport/openapi/check-answer';

const DOCUMENTS = join(import.meta.dirname, '../../../proto/openapi');

/** On which every HTTP server of ours tells what it answered. */
export const ANSWER_CHANNEL = 'kontoport.http.answer';

/** Under which a watched process logs a fault of an answer. */
export const ANSWER_FAULT = 'answered otherwise than documented';

let check: CheckAnswer | undefined;

/** The check of answers against `proto/openapi`, read and compiled once in a process. */
export function checkOfDocuments(): CheckAnswer {
  return (check ??= createAnswerCheck(
    globSync('*.json', { cwd: DOCUMENTS }).map(
      (file) => JSON.parse(readFileSync(join(DOCUMENTS, file), 'utf8')) as Record<string, unknown>,
    ),
  ));
}
