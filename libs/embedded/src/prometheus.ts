import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's package, unpacked by `.ci/run`. */
const OWN_BINARIES = join(import.meta.dirname, '../../../.local/prometheus/usr/bin');

/** A program of Prometheus: its file, or the reason why it is missing and how to get it. */
export interface PrometheusProgram {
  file: string;
  missing: string | undefined;
}

/** Finds `promtool`, which checks and tests rules. */
export function promtoolProgram(): PrometheusProgram {
  return find('promtool');
}

/** Finds the server. */
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
