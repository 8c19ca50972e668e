// npm run chart: writes values.schema.json and README.md of charts/kontoport from the comments in values.yaml, and copies
// the configurations of docs/edge. With --check it writes nothing and fails on a file that is out of date.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingTools, toolsFolder } from './tools.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CHART = join(ROOT, 'charts/kontoport');
const EDGES = ['haproxy.cfg', 'traefik.yaml'];
const GENERATED = ['values.schema.json', 'README.md', ...EDGES.map((file) => `files/edge/${file}`)];

/**
 * The generated files of the chart, by name.
 * @throws Error when a tool fails, with its message
 */
export function generatedFiles(): Record<string, string> {
  const chart = mkdtempSync(join(tmpdir(), 'kontoport-chart-'));
  const run = (tool: string, ...args: string[]): unknown =>
    execFileSync(join(toolsFolder(), tool), args, { cwd: chart, stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    cpSync(CHART, chart, { recursive: true });
    // Helm reads no file outside of a chart.
    for (const file of EDGES) cpSync(join(ROOT, 'docs/edge', file), join(chart, 'files/edge', file));
    for (const name of ['values.schema.json', 'README.md']) rmSync(join(chart, name));
    run('helm-values-schema-json');
    run('helm-docs', '--sort-values-order=file');
    return Object.fromEntries(GENERATED.map((name) => [name, readFileSync(join(chart, name), 'utf8')]));
  } finally {
    rmSync(chart, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const isCheck = process.argv.includes('--check');
  const missing = missingTools();
  if (missing !== undefined) {
    console.error(missing);
    process.exitCode = isCheck && !process.env.CI ? 0 : 1;
  }
  for (const [name, text] of Object.entries(missing === undefined ? generatedFiles() : {})) {
    if (readFileSync(join(CHART, name), 'utf8') === text) continue;
    if (isCheck) {
      console.error(`charts/kontoport/${name} is out of date: npm run chart`);
      process.exitCode = 1;
    } else writeFileSync(join(CHART, name), text);
  }
}
