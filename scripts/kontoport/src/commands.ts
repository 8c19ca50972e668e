import { completionOf, defineCommand, type Group, type Shell, SHELLS } from '@kontoport/command';
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

/** The word that a person types. */
export const NAME = 'kontoport';

const completion = defineCommand({
  summary: 'completes these commands in your shell',
  about: `Prints a script that completes the commands in a shell.

  bash   source <(kontoport completion bash)
  zsh    source <(kontoport completion zsh)
  fish   kontoport completion fish | source`,
  options: {},
  operands: [{ name: 'SHELL', choices: SHELLS }],
  run: async ({ operands }) => {
    process.stdout.write(completionOf({ name: NAME, root: COMMANDS, shell: operands[0] as Shell }));
    return 0;
  },
});

/** Everything that `kontoport` does. */
export const COMMANDS: Group = {
  summary: 'the open banking door of a bank, on this machine',
  about: `Kontoport, the open banking (PSD2) door of a bank, on this machine.

Exit status of every command: 0 done or accepted, 1 failed or refused, 2 unreadable input or wrong usage.`,
  commands: {
    start: startCommand,
    tour: tourCommand,
    status: statusCommand,
    logs: logsCommand,
    migrate: migrateCommand,
    reseal: resealCommand,
    feed: feedCommand,
    statistics: statisticsCommand,
    'dead-letters': deadLetterCommands,
    qwac: qwacCommands,
    completion,
  },
};
