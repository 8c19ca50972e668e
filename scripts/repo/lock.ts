import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LOCK = 'package-lock.json';
const GAPS = 'scripts/repo/lock-gaps.json';

interface Entry {
  /** Where the folder's name is an alias. */
  name?: string;
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
}

export interface Lock {
  packages: Record<string, Entry>;
}

export const readLock = (root: string): Lock => JSON.parse(readFileSync(join(root, LOCK), 'utf8')) as Lock;

/** Packages, `name@version`, that are known to lack an integrity: whoever has an open network completes them. */
export const readGaps = (root: string): string[] =>
  JSON.parse(readFileSync(join(root, GAPS), 'utf8')) as string[];

/** Writes both as npm and the formatter would. */
export function writeLock(root: string, lock: Lock, gaps: readonly string[]): void {
  writeFileSync(join(root, LOCK), `${JSON.stringify(lock, undefined, 2)}\n`);
  const lines = gaps.map((gap) => `\n  ${JSON.stringify(gap)}`).join(',');
  writeFileSync(join(root, GAPS), gaps.length === 0 ? '[]\n' : `[${lines}\n]\n`);
}

/** What npm fetches, by `name@version`; workspaces are not fetched. */
export function fetched({ packages }: Lock): { id: string; place: string; entry: Entry }[] {
  return Object.entries(packages)
    .filter(([place, { link }]) => place.includes('node_modules/') && !link)
    .map(([place, entry]) => ({
      id: `${entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${entry.version}`,
      place,
      entry,
    }));
}

const isProof = (integrity: string): boolean => /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity);

/** Everything in the lock file that could bring other code than was meant, one sentence each. */
export function lockFaults(lock: Lock, gaps: readonly string[]): string[] {
  const entries = fetched(lock);
  const lacking = new Set(entries.filter(({ entry }) => entry.integrity === undefined).map(({ id }) => id));
  return [
    ...entries.flatMap(({ id, entry }) => [
      ...(entry.resolved === undefined ? [] : [`${id} names an address: each network has its own`]),
      ...(entry.integrity === undefined || isProof(entry.integrity) ? [] : [`${id} has no SHA-512`]),
    ]),
    ...[...lacking]
      .filter((id) => !gaps.includes(id))
      .map((id) => `${id} has no integrity: npm run lock:complete`),
    ...gaps.filter((id) => !lacking.has(id)).map((id) => `${id} is complete: take it off ${GAPS}`),
  ];
}

/** The lock file with what `integrityOf` knows, and what still lacks it. */
export async function completed(
  lock: Lock,
  integrityOf: (id: string) => Promise<string | undefined>,
): Promise<{ lock: Lock; gaps: string[]; found: number }> {
  const packages = { ...lock.packages };
  const gaps = new Set<string>();
  let found = 0;
  for (const { id, place, entry } of fetched(lock)) {
    if (entry.integrity !== undefined) continue;
    const integrity = await integrityOf(id);
    if (integrity === undefined || !isProof(integrity)) {
      gaps.add(id);
      continue;
    }
    const { version, resolved, ...rest } = entry;
    // In npm's own order, so that its next run changes nothing.
    packages[place] = { ...(version && { version }), ...(resolved && { resolved }), integrity, ...rest };
    found += 1;
  }
  return { lock: { ...lock, packages }, gaps: [...gaps].toSorted(), found };
}
