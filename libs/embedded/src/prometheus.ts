import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where `.ci/run` unpacks Debian's package, without installing it. */
const OWN_BINARIES = join(import.meta.dirname, '../../../.local/prometheus/usr/bin');

/** A program of Prometheus' that tests run: where it is, or what is missing and how to get it. */
export interface PrometheusProgram {
  file: string;
  missing: string | undefined;
}

/** `promtool`, which checks rules and runs their tests. */
export function promtoolProgram(): PrometheusProgram {
  return find('promtool');
}

/** The server itself. */
export function prometheusProgram(): PrometheusProgram {
  return find('prometheus');
}

function find(name: string): PrometheusProgram {
  const folders = [OWN_BINARIES, ...(process.env.PATH ?? '').split(delimiter)];
  const file = folders.map((folder) => join(folder, name)).find(isExecutable);
  const missing = `no ${name}: unpack Debian's package prometheus to .local/prometheus, as .ci/run does`;
  return { file: file ?? name, missing: file === undefined ? missing : undefined };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
