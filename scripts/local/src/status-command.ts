import { defineCommand } from '@kontoport/command';

export const STATUS_OPTIONS = {
  json: { type: 'boolean', summary: 'one JSON object instead of text' },
  data: { type: 'string', value: 'FOLDER', summary: 'data folder of the stack', standard: '.local' },
} as const;

/** `kontoport status`: whether a stack runs on a data folder, and how its parts are. */
export const statusCommand = defineCommand({
  summary: 'says how the stack is',
  about: `Says whether the local stack runs and how each of its parts is.

Exit status: 0 everything is ready, 1 something is not, or nothing runs.`,
  options: STATUS_OPTIONS,
  run: async (call) => (await import('./status.ts')).status(call),
});
