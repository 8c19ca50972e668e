import { CliCommand, exits } from '@kontoport/command';
import type { StatusOptions } from './status.ts';

/** `kontoport status`: whether a stack runs on a data folder, and whether its parts are ready. */
export const statusCommand = new CliCommand('status')
  .summary('shows whether each part of the stack is ready')
  .description(
    `Shows whether the local stack runs and whether each of its parts is ready.

Exit status: 0 everything is ready, 1 something is not, or nothing runs.`,
  )
  .option('--json', 'print one JSON object')
  .option('--data <FOLDER>', 'data folder of the stack (default: .local)')
  .addHelpText('after', '\nExample: npx kontoport status --json')
  .action(
    exits(async (options: StatusOptions) => (await import('./status.ts')).status(options, process.env)),
  );
