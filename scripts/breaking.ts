// Fails on a change of the OpenAPI documents that breaks callers and that no new version announces.
// Usage: node scripts/breaking.ts [--against <revision>]   (default: main)
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
  git(root, ['rev-parse', '--verify', '--quiet', `${against}^{commit}`], `there is no revision ${against}`);
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
  const { values } = parseArgs({ options: { against: { type: 'string', default: 'main' } } });
  const changes = breaking(join(import.meta.dirname, '..'), values);
  for (const change of changes) console.error(change);
  if (changes.length > 0)
    console.error('Raise the version in libs/openapi/src/interfaces.ts, or take it back.');
  process.exitCode = changes.length > 0 ? 1 : 0;
}
