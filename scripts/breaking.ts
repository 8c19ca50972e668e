// Fails on a change of the OpenAPI documents that breaks callers and that no new version announces.
// Usage: node scripts/breaking.ts [--against <revision>]   (default: origin/main, else main)
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { announcesBreak, breakingChanges } from '@kontoport/openapi/breaking';
import { INTERFACES } from '@kontoport/openapi/interfaces';
import { documentPath } from './openapi.ts';

type Document = Readonly<Record<string, unknown>> & { info: { version: string } };

/**
 * What breaks callers without a new version, a sentence each.
 * @param options.against a revision of the repository; an interface that it does not have is new
 * @throws Error when git does not know the revision
 */
export function breaking(root: string, { against }: { against: string }): string[] {
  if (!isRevision(root, against)) throw new Error(`there is no revision ${against}`);
  return INTERFACES.flatMap((described) => {
    const path = documentPath(described);
    const known = git(root, ['ls-tree', '--name-only', against, path], `${path} cannot be looked up`);
    if (known.trim() === '') return [];
    const before = JSON.parse(
      git(root, ['show', `${against}:${path}`], `${path} cannot be read`),
    ) as Document;
    if (!existsSync(join(root, path))) return [`${path} is gone`];
    const after = JSON.parse(readFileSync(join(root, path), 'utf8')) as Document;
    const [old, now] = [before.info.version, after.info.version];
    if (announcesBreak(old, now)) return [];
    return breakingChanges(before, after).map(
      (change) => `${path} (${old === now ? old : `${old} → ${now}`}) ${change}`,
    );
  });
}

/** Main as everybody has it, else our own; undefined where the repository has neither. */
export function publishedRevision(root: string): string | undefined {
  return ['origin/main', 'main'].find((name) => isRevision(root, name));
}

function isRevision(root: string, name: string): boolean {
  const { status } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
    cwd: root,
  });
  return status === 0;
}

function git(root: string, args: readonly string[], failure: string): string {
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(failure);
  return stdout;
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '..');
  const { values } = parseArgs({ options: { against: { type: 'string' } } });
  const against = values.against ?? publishedRevision(root);
  if (against === undefined) console.log('There is no main to compare with.');
  const changes = against === undefined ? [] : breaking(root, { against });
  for (const change of changes) console.error(change);
  if (changes.length > 0)
    console.error('Raise the version in libs/openapi/src/interfaces.ts, or take it back.');
  process.exitCode = changes.length > 0 ? 1 : 0;
}
