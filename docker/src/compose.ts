// npm run compose -- ARGUMENTS: prepares .local/compose and runs docker compose with docker/compose.yaml.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepareCompose } from './prepare-compose.ts';

const ROOT = join(import.meta.dirname, '../..');
const GIVEN =
  /^((BASE|REGISTRATION|AUTH|USER|PROMETHEUS|GRAFANA|JAEGER)_PORT|\w+_IMAGE|KONTOPORT_VERSION|SUBNET|LOG_LEVEL|SETTLEMENT_DELAY|OTEL_EXPORTER_OTLP_ENDPOINT)$/;

const given = Object.entries(process.env).filter(
  (entry): entry is [string, string] => GIVEN.test(entry[0]) && entry[1] !== undefined,
);
const variables = await prepareCompose({
  folder: join(ROOT, '.local/compose'),
  given: Object.fromEntries(given),
});
const args = [
  'compose',
  '-f',
  join(ROOT, 'docker/compose.yaml'),
  '--env-file',
  variables,
  ...process.argv.slice(2),
];
const { status, error } = spawnSync('docker', args, { stdio: 'inherit' });
if (error !== undefined) console.error(`docker: ${error.message}`);
process.exitCode = status ?? 1;
