import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Argument, CliCommand, exits, InputError, styleFor, UsageError } from '@kontoport/command';
import { readableLine } from './log-line.ts';
import { SERVICES } from './services.ts';
import { openTail } from './tail.ts';

const LOOK_MS = 200;
const LINES = 20;

interface LogsOptions {
  follow?: boolean;
  lines?: string;
  json?: boolean;
  data?: string;
}

/** `kontoport logs`: the log of the services, formatted for people, or unchanged with `--json`. */
export const logsCommand = new CliCommand('logs')
  .summary('shows what the services log')
  .description('Shows the logs of the local stack, of all services or of one.')
  .addArgument(new Argument('[SERVICE]').choices(SERVICES))
  .option('--follow', 'print new lines until Ctrl-C')
  .option('--lines <N>', `number of lines of each service to begin with (default: ${LINES})`)
  .option('--json', 'print the lines as they are in the files')
  .option('--data <FOLDER>', 'data folder of the stack (default: .local)')
  .addHelpText('after', '\nExample: npx kontoport logs payments --follow')
  .action(exits(showLogs));

async function showLogs(service: string | undefined, options: LogsOptions): Promise<number> {
  const {
    follow,
    lines: count = String(LINES),
    json,
    data = join(import.meta.dirname, '../../../../.local'),
  } = options;
  if (!/^\d{1,6}$/.test(count)) throw new UsageError('--lines is a number from 0 to 999999');
  const folder = join(resolve(data), 'logs');
  if (!existsSync(folder)) throw new InputError(`no logs in ${folder}: start the stack with npm start`);
  const names = service === undefined ? SERVICES : [service];
  const style = styleFor(process.stdout, process.env);
  const tails = names.map((name) => ({ name, tail: openTail(join(folder, `${name}.log`), Number(count)) }));
  const show = (): void => {
    const come = tails.flatMap(({ name, tail }) =>
      tail.read().map((raw) => ({
        raw,
        ...readableLine(raw, { style, ...(names.length > 1 && { service: name }) }),
      })),
    );
    // A line without a time stays behind the line before it: the sort keeps the order of equals.
    let last = '';
    const placed = come.map((line) => ({ ...line, time: (last = line.time || last) }));
    for (const { raw, text } of placed.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)))
      console.log(json ? raw : text);
  };
  // The reader has gone (kontoport logs --follow | head).
  process.stdout.on('error', () => process.exit(0));
  show();
  while (follow) {
    await pause(LOOK_MS);
    show();
  }
  return 0;
}
