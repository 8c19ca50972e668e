import { CliCommand } from '@kontoport/command';
import { conformanceCommand } from '@kontoport/conformance/command';
import { consoleCommand } from '@kontoport/console/command';
import { deadLetterCommands } from '@kontoport/dead-letters/commands';
import { feedCommand } from '@kontoport/feed/command';
import { logsCommand } from '@kontoport/local/logs-command';
import { migrateCommand } from '@kontoport/local/migrate-command';
import { resealCommand } from '@kontoport/local/reseal-command';
import { startCommand } from '@kontoport/local/start-command';
import { statusCommand } from '@kontoport/local/status-command';
import { qwacCommands } from '@kontoport/qwac/commands';
import { tourCommand } from '@kontoport/tour/command';
import { tppCommands } from '@kontoport/tpp/commands';
import { completionCommand } from './completion.ts';
import { statisticsCommand } from './statistics/command.ts';

/** The commands by their readers. */
const GROUPS = {
  'The bank on this machine:': [startCommand, tourCommand, statusCommand, logsCommand],
  'For TPP developers:': [...tppCommands, consoleCommand, qwacCommands, completionCommand],
  'For platform teams and operators:': [
    migrateCommand,
    resealCommand,
    conformanceCommand,
    feedCommand,
    statisticsCommand,
    deadLetterCommands,
  ],
};

/** Everything that `kontoport` does. */
export const program = new CliCommand('kontoport')
  .description(
    `Kontoport, the open banking (PSD2) interface of a bank.

Exit status of every command: 0 done or accepted, 1 failed or refused, 2 unreadable input or wrong usage.`,
  )
  .addHelpText('after', '\nExample: npx kontoport login --help');

for (const [group, commands] of Object.entries(GROUPS)) {
  program.commandsGroup(group);
  for (const command of commands) program.addCommand(command);
}
