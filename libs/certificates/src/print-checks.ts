// node libs/certificates/src/print-checks.ts: writes the table of all checks into the README of this lib.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkTableAsMarkdown } from './check-table.ts';

const README = join(import.meta.dirname, '../README.md');
const MARKS = /(<!-- checks -->\n)[^]*(<!-- \/checks -->)/;
writeFileSync(
  README,
  readFileSync(README, 'utf8').replace(
    MARKS,
    (_, begin, end) => `${begin}\n${checkTableAsMarkdown()}\n${end}`,
  ),
);
