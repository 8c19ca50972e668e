import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type CheckAnswer, createAnswerCheck } from '@kontoport/openapi/check-answer';
import { createEventCheck, type PublishedEvent } from '@kontoport/openapi/check-event';
import { createWebhookCheck } from '@kontoport/openapi/check-webhook';
import { parse } from 'yaml';

const CONTRACTS = join(import.meta.dirname, '../../../proto');

/** The channel on which HTTP servers publish their answers. */
export const ANSWER_CHANNEL = 'kontoport.http.answer';
/** The channel on which the dispatcher publishes its webhooks. */
export const WEBHOOK_CHANNEL = 'kontoport.webhook';
/** The channel on which services publish their events. */
export const EVENT_CHANNEL = 'kontoport.event';

/** The log message of a watched process for a fault. */
export const ANSWER_FAULT = 'said otherwise than documented';

type Check<Said> = (said: Said) => string[];

/** Makes a value once per process. */
function once<Said>(make: () => Check<Said>): () => Check<Said> {
  let made: Check<Said> | undefined;
  return () => (made ??= make());
}

const read = (path: string): string => readFileSync(join(CONTRACTS, path), 'utf8');

const documents = (): Record<string, unknown>[] =>
  globSync('openapi/*.json', { cwd: CONTRACTS }).map(
    (file) => JSON.parse(read(file)) as Record<string, unknown>,
  );

/** The check of answers against `proto/openapi`. */
export const checkOfDocuments: () => CheckAnswer = once<Answer>(() => createAnswerCheck(documents()));

/** The check of webhooks against `proto/openapi`; headers are names and values in turn. */
export const checkOfWebhooks = once<{ headers: readonly string[]; body: Uint8Array }>(() => {
  const check = createWebhookCheck(documents());
  return ({ headers, body }) => {
    const pairs = headers.flatMap((name, at) =>
      at % 2 === 0 ? [[name.toLowerCase(), headers[at + 1]!]] : [],
    );
    return check({
      headers: Object.fromEntries(pairs) as Record<string, string>,
      body: Buffer.from(body).toString(),
    });
  };
});

/** The check of events against `proto/asyncapi.yaml`. */
export const checkOfEvents = once<PublishedEvent>(() =>
  createEventCheck(parse(read('asyncapi.yaml')) as Record<string, unknown>),
);
