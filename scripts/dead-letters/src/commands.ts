import { defineCommand, type Group } from '@kontoport/command';
import { LIST_OPTIONS, REPLAY_OPTIONS } from './options.ts';

const REACHING = `Kafka is reached by the variables of the services: KAFKA_BROKERS, KAFKA_TLS_* and KAFKA_SASL_*; what the principal must be
allowed to is listed in docs/operations.`;

const list = defineCommand({
  summary: 'lists the records that could not be read, and why',
  about: `Lists the dead letters: the records that a consumer could not parse, with the reason and where they came from. What
they hold is shown with --show alone: it may be personal data.

${REACHING}`,
  options: LIST_OPTIONS,
  run: async (call) => (await import('./list.ts')).listLetters(call),
});

const replay = defineCommand({
  summary: 'sends them again to where they came from',
  about: `Sends dead letters again to the topic from which they came, with their own key and headers. A letter that was
replayed gets a receipt beside it, and is not replayed again unless it is named. A record that still cannot be read comes back as a
letter of its own; consumers know what they have by the event's id.

${REACHING}

Exit status: 0 all of them were sent, or with --dry-run would be; 1 some were not; 2 wrong usage.`,
  options: REPLAY_OPTIONS,
  run: async (call) => (await import('./replay.ts')).replayLetters(call),
});

/** `kontoport dead-letters …`: what a person does about records that could not be read. */
export const deadLetterCommands: Group = {
  summary: 'records that could not be read: what they are, and again',
  commands: { list, replay },
};
