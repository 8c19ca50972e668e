import { CliCommand } from '@kontoport/command';
import { deadLetterCommands } from '@kontoport/dead-letters/commands';
import { feedCommand } from '@kontoport/feed/command';
import { logsCommand } from '@kontoport/local/logs-command';
import { migrateCommand } from '@kontoport/local/migrate-command';
import { resealCommand } from '@kontoport/local/reseal-command';
import { startCommand } from '@kontoport/local/start-command';
import { statusCommand } from '@kontoport/local/status-command';
import { qwacCommands } from '@kontoport/qwac/commands';
import { tourCommand } from '@kontoport/tour/command';
import { statisticsCommand } from './statistics/command.ts';

/** Everything that `kontoport` does. */
export const program = new CliCommand('kontoport')
  .description(
    `Kontoport, the open banking (PSD2) interface of a bank.

Exit status of every command: 0 done or accepted, 1 failed or refused, 2 unreadable input or wrong usage.`,
  )
  .commandsGroup('For TPP developers, on this machine:')
  .addCommand(startCommand)
  .addCommand(tourCommand)
  .addCommand(qwacCommands)
  .addCommand(statusCommand)
  .addCommand(logsCommand)
  .commandsGroup('For platform teams and operators:')
  .addCommand(migrateCommand)
  .addCommand(resealCommand)
  .addCommand(feedCommand)
  .addCommand(statisticsCommand)
  .addCommand(deadLetterCommands)
  .addHelpText('after', '\nExample: npx kontoport qwac mint --help');
