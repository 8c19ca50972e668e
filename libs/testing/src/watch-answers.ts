// Preloaded into the processes of services that tests start: checks every answer and logs what is wrong with it.
import { subscribe } from 'node:diagnostics_channel';
import type { Answer } from '@kontoport/openapi/check-answer';

// Loaded with the first answer: a process that gives none starts as fast as ever.
const load = () => import('./documented-answers.ts');
let loading: ReturnType<typeof load> | undefined;

async function check(answer: Answer): Promise<void> {
  const { ANSWER_FAULT, checkOfDocuments } = await (loading ??= load());
  for (const fault of checkOfDocuments()(answer))
    process.stderr.write(`${JSON.stringify({ level: 'error', msg: ANSWER_FAULT, fault })}\n`);
}

subscribe('kontoport.http.answer', (answer) => void check(answer as Answer));
