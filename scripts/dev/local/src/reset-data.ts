import { lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The files and folders that `npm start` makes in a data folder. Others stay. */
const OURS = [
  'ca',
  'internal-tls',
  'trust-anchors',
  'secrets.json',
  'postgres',
  'kafka',
  'apache-kafka',
  'logs',
  'qwac',
  'profiles',
  'tour',
  'stack.json',
];

/** Deletes the data of earlier runs: databases, keys, certificates, logs. */
export function resetData(data: string): void {
  for (const name of readdirSync(data)) {
    if (!OURS.includes(name)) continue;
    const path = join(data, name);
    // The database folder may be a link to where PostgreSQL's own account can reach it.
    if (lstatSync(path).isSymbolicLink()) rmSync(realpathSync(path), { recursive: true, force: true });
    rmSync(path, { recursive: true, force: true });
  }
}
