import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { defineCommand, InputError, styleFor, UsageError } from '@kontoport/command';
import { readableLine } from './log-line.ts';
import { SERVICES } from './services.ts';
import { openTail } from './tail.ts';

const LOOK_MS = 200;
const LINES = 20;
const NAMES = [...SERVICES, 'edge'];

/** `kontoport logs`: what the services say, for people; with `--json` as they say it. */
export const logsCommand = defineCommand({
  summary: 'shows what the services log',
  about: 'Shows the logs of the local stack, of all services or of one.',
  options: {
    follow: { type: 'boolean', summary: 'go on with what comes, until Ctrl-C' },
    lines: {
      type: 'string',
      value: 'N',
      summary: 'how many lines of each to begin with',
      standard: String(LINES),
    },
    json: { type: 'boolean', summary: 'lines as they stand in the files' },
    data: { type: 'string', value: 'FOLDER', summary: 'data folder of the stack', standard: '.local' },
  },
  operands: [{ name: 'SERVICE', optional: true, choices: NAMES }],
  run: async ({ values, operands, env }) => {
    const lines = Number(values.lines ?? LINES);
    if (!/^\d{1,6}$/.test(values.lines ?? '0')) throw new UsageError('--lines is a number from 0 to 999999');
    const folder = join(resolve(values.data ?? join(import.meta.dirname, '../../../.local')), 'logs');
    if (!existsSync(folder)) throw new InputError(`no logs in ${folder}: start the stack with npm start`);
    const names = operands.length > 0 ? operands : NAMES;
    const style = styleFor(process.stdout, env);
    const tails = names.map((name) => ({ name, tail: openTail(join(folder, `${name}.log`), lines) }));
    const show = (): void => {
      const come = tails.flatMap(({ name, tail }) =>
        tail.read().map((raw) => ({
          raw,
          ...readableLine(raw, { style, ...(names.length > 1 && { service: name }) }),
        })),
      );
      // Lines that are none of the logger's stay beside their neighbours: the order of equals is kept.
      let last = '';
      const placed = come.map((line) => ({ ...line, time: (last = line.time || last) }));
      for (const { raw, text } of placed.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)))
        console.log(values.json ? raw : text);
    };
    // Nobody reads any more (kontoport logs --follow | head).
    process.stdout.on('error', () => process.exit(0));
    show();
    while (values.follow) {
      await pause(LOOK_MS);
      show();
    }
    return 0;
  },
});
