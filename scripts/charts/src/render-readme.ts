import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from './json-schema.ts';
import { tableOfValues } from './render-values.ts';

/** README.md of the chart: README.template.md with the table of values. */
export function renderReadme(chart: string, values: JsonSchema): string {
  const template = readFileSync(join(chart, 'README.template.md'), 'utf8');
  return template.replace('@VALUES@', () => tableOfValues(values));
}
