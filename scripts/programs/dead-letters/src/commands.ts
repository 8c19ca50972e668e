import { CliCommand, exits, Option, repeated } from '@kontoport/command';
import type { ListOptions } from './list.ts';
import type { ReplayOptions } from './replay.ts';
import { TOPICS } from './topics.ts';

const REACHING = `The program reads the Kafka variables of the services: KAFKA_BROKERS, KAFKA_TLS_* and KAFKA_SASL_*. docs/operations/backing-services.md lists the access rights of its principal.`;

const topic = new Option('--topic <TOPIC>', 'only letters of this topic').choices(TOPICS);

const list = new CliCommand('list')
  .summary('lists the dead letters and their reasons')
  .description(
    `Lists the dead letters: records that a consumer could not parse, each with the reason and its origin. --show prints their content, which may be personal data.

${REACHING}`,
  )
  .addOption(topic)
  .option('--all', 'include replayed ones')
  .option('--show', 'print key, headers and content')
  .option('--json', 'print JSON')
  .addHelpText('after', '\nExample: npx kontoport dead-letters list')
  .action(
    exits(async (options: ListOptions) => (await import('./list.ts')).listLetters(options, process.env)),
  );

const replay = new CliCommand('replay')
  .summary('sends dead letters to their topics again')
  .description(
    `Sends dead letters to their original topics again, with their keys and headers. A receipt marks a replayed letter; --letter replays it once more. A record that still cannot be parsed becomes a new dead letter. Consumers skip events that they have already stored, by their ids.

${REACHING}

Exit status: 0 all sent (with --dry-run: all can be sent), 1 some failed, 2 wrong usage.`,
  )
  .option('--letter <TOPIC:PARTITION:OFFSET>', 'one letter, as list names it; may be repeated', repeated)
  .option('--all', 'all letters without a receipt')
  .addOption(topic)
  .option('--dry-run', 'print what would be sent, and send nothing')
  .option('--json', 'print JSON')
  .addHelpText('after', '\nExample: npx kontoport dead-letters replay --all --dry-run')
  .action(
    exits(async (options: ReplayOptions) =>
      (await import('./replay.ts')).replayLetters(options, process.env),
    ),
  );

/** `kontoport dead-letters …`: lists and replays records that a consumer could not parse. */
export const deadLetterCommands = new CliCommand('dead-letters')
  .description('lists and replays records that a consumer could not parse')
  .addHelpText('after', '\nExample: npx kontoport dead-letters list')
  .addCommand(list)
  .addCommand(replay);
