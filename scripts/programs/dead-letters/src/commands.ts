import { CliCommand, exits, Option, repeated } from '@kontoport/command';
import type { ListOptions } from './list.ts';
import type { ReplayOptions } from './replay.ts';
import { TOPICS } from './topics.ts';

const REACHING = `Kafka is reached by the variables of the services: KAFKA_BROKERS, KAFKA_TLS_* and KAFKA_SASL_*; what the principal must be allowed to is listed in docs/operations.`;

const topic = new Option('--topic <TOPIC>', 'only letters of this topic').choices(TOPICS);

const list = new CliCommand('list')
  .summary('lists the records that could not be read, and why')
  .description(
    `Lists the dead letters: the records that a consumer could not parse, with the reason and where they came from. What they hold is shown with --show alone: it may be personal data.

${REACHING}`,
  )
  .addOption(topic)
  .option('--all', 'also those that were replayed')
  .option('--show', 'also key, headers and content')
  .option('--json', 'answer as JSON')
  .action(
    exits(async (options: ListOptions) => (await import('./list.ts')).listLetters(options, process.env)),
  );

const replay = new CliCommand('replay')
  .summary('sends them again to where they came from')
  .description(
    `Sends dead letters again to the topic from which they came, with their own key and headers. A letter that was replayed gets a receipt beside it, and is not replayed again unless it is named. A record that still cannot be read comes back as a letter of its own; consumers know what they have by the event's id.

${REACHING}

Exit status: 0 all of them were sent, or with --dry-run would be; 1 some were not; 2 wrong usage.`,
  )
  .option(
    '--letter <TOPIC:PARTITION:OFFSET>',
    'this one, as list names it, whether or not it was replayed; may be repeated',
    repeated,
  )
  .option('--all', 'all that were not replayed yet')
  .addOption(topic)
  .option('--dry-run', 'say what would be done, and do nothing')
  .option('--json', 'answer as JSON')
  .action(
    exits(async (options: ReplayOptions) =>
      (await import('./replay.ts')).replayLetters(options, process.env),
    ),
  );

/** `kontoport dead-letters …`: what a person does about records that could not be read. */
export const deadLetterCommands = new CliCommand('dead-letters')
  .description('records that could not be read: what they are, and again')
  .addCommand(list)
  .addCommand(replay);
