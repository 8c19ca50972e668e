// node libs/certificates/src/print-checks.ts: writes the table of all checks into the README of this lib.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkTableAsMarkdown } from './check-table.ts';

const file = join(import.meta.dirname, '../README.md');
const marks = /(<!-- checks -->\n)[^]*(<!-- \/checks -->)/;
writeFileSync(
  file,
  readFileSync(file, 'utf8').replace(marks, (_, begin, end) => `${begin}\n${checkTableAsMarkdown()}\n${end}`),
);
