// node scripts/repo/check-lock.ts [--complete]: package-lock.json has the SHA-512 of every package, and no address, because each
// network has its own registry (.npmrc: omit-lockfile-registry-resolved). `--complete` adds the hashes that npm leaves out.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, '../../package-lock.json');
/** The tools that are no dependencies. */
const TOOLS_FILE = join(import.meta.dirname, '../../.ci/openapi-node/package-lock.json');
const LIMIT_MS = 60_000;

interface Entry {
  /** The package's name, where the folder has an alias. */
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
}

/** The lock file. */
export interface Lock {
  packages: Record<string, Entry>;
}

/** Lists what npm fetches, by `name@version`. */
const fetched = ({ packages }: Lock): [id: string, place: string, entry: Entry][] =>
  Object.entries(packages)
    .filter(([place, { link }]) => place.includes('node_modules/') && !link)
    .map(([place, entry]) => [
      `${entry.name ?? place.split('node_modules/').at(-1)}@${entry.version}`,
      place,
      entry,
    ]);

/** Finds the entries that could fetch other code than was reviewed, one sentence each. */
export function lockFaults(lock: Lock): string[] {
  return fetched(lock).flatMap(([id, , { resolved, integrity }]) => [
    ...(resolved === undefined ? [] : [`${id} names an address: each network has its own`]),
    ...(/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')
      ? []
      : [`${id} has no SHA-512: npm run lock:complete`]),
  ]);
}

/** Adds the hashes that the configured registry knows. */
function complete(lock: Lock): void {
  for (const [id, place, { version, integrity, ...rest }] of fetched(lock)) {
    if (integrity !== undefined) continue;
    const options = { encoding: 'utf8', timeout: LIMIT_MS } as const;
    const found = JSON.parse(
      execFileSync('npm', ['view', id, 'dist.integrity', '--json'], options),
    ) as string;
    // npm's order of members: its next run changes nothing.
    lock.packages[place] = { ...(version && { version }), integrity: found, ...rest };
    console.log(`completed ${id}`);
  }
  writeFileSync(FILE, `${JSON.stringify(lock, undefined, 2)}\n`);
}

if (process.argv[1] === import.meta.filename) {
  const lock = JSON.parse(readFileSync(FILE, 'utf8')) as Lock;
  if (process.argv.includes('--complete')) complete(lock);
  const tools = JSON.parse(readFileSync(TOOLS_FILE, 'utf8')) as Lock;
  const faults = [...lockFaults(lock), ...lockFaults(tools)];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
