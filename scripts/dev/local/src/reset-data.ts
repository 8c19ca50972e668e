import { lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What `npm start` made in a data folder. Anything else that lies there is left alone. */
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
  'tour',
  'stack.json',
];

/** Throws the data of earlier runs away: databases, keys, certificates, logs. */
export function resetData(data: string): void {
  for (const name of readdirSync(data)) {
    if (!OURS.includes(name)) continue;
    const path = join(data, name);
    // The database folder may be a link to where PostgreSQL's own account can reach it.
    if (lstatSync(path).isSymbolicLink()) rmSync(realpathSync(path), { recursive: true, force: true });
    rmSync(path, { recursive: true, force: true });
  }
}
