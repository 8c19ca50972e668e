// node libs/certificates/print-checks.ts: writes the table of all checks into the README beside it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkTableAsMarkdown } from './src/check-table.ts';

const file = join(import.meta.dirname, 'README.md');
const marks = /(<!-- checks -->\n)[^]*(<!-- \/checks -->)/;
writeFileSync(
  file,
  readFileSync(file, 'utf8').replace(marks, (_, begin, end) => `${begin}\n${checkTableAsMarkdown()}\n${end}`),
);
