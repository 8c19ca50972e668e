// npm run chart: writes values.yaml, values.schema.json and README.md of charts/kontoport. With --check it writes nothing
// and fails on what is old.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { secretVariables } from '@kontoport/config';
import type { JsonSchema } from './json-schema.ts';
import { admitRenamed, readRenames } from './renames.ts';
import { renderReadme } from './render-readme.ts';
import { renderValues } from './render-values.ts';
import { configOf, keyOf, readSettings, SERVICE_KEYS, type ServiceKey, SERVICES } from './settings.ts';
import { chartValues, type ServiceFacts } from './values.ts';

const ROOT = join(import.meta.dirname, '../../..');
export const CHART = join(ROOT, 'charts/kontoport');

/** What the values may be, as the services' own configuration says. */
export async function readValues(root: string): Promise<JsonSchema> {
  const { common, own } = await readSettings(root);
  const facts = await Promise.all(
    SERVICE_KEYS.map(async (key): Promise<[ServiceKey, ServiceFacts]> => {
      const config = await configOf(root, SERVICES[key]);
      const secrets = secretVariables(config)
        .filter((variable) => variable !== 'EDGE_SECRET')
        .map(keyOf);
      return [key, { settings: own[key], secrets, kafka: 'KAFKA_BROKERS' in config }];
    }),
  );
  return chartValues(common, Object.fromEntries(facts) as Record<ServiceKey, ServiceFacts>);
}

/** The files of the chart that are made of others, by name. */
export function generatedFiles(chart: string, values: JsonSchema): Record<string, string> {
  const renames = readRenames(readFileSync(join(chart, 'renames.yaml'), 'utf8'));
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'kontoport',
    ...admitRenamed(values, renames),
  };
  return {
    'values.yaml': renderValues(values),
    'values.schema.json': `${JSON.stringify(schema, undefined, 1)}\n`,
    'README.md': renderReadme(chart, values),
    // The recipes that are tested with real edges.
    ...Object.fromEntries(
      ['haproxy.cfg', 'traefik.yaml'].map((file) => [
        `files/edge/${file}`,
        readFileSync(join(ROOT, 'docs/edge', file), 'utf8'),
      ]),
    ),
  };
}

if (process.argv[1] === import.meta.filename) {
  const check = process.argv.includes('--check');
  const files = generatedFiles(CHART, await readValues(ROOT));
  for (const [name, text] of Object.entries(files)) {
    const file = join(CHART, name);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    if (check) {
      console.error(`charts/kontoport/${name} is old: npm run chart`);
      process.exitCode = 1;
    } else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
}
