import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Runs a command and returns its output. @throws Error with the command's own words */
export function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

/** Runs git and returns its output. @throws Error with git's own words */
export const git = (root: string, ...args: string[]): string => run('git', args, root);

/** Whether a revision has a path. */
export const has = (root: string, revision: string, path: string): boolean =>
  spawnSync('git', ['cat-file', '-e', `${revision}:${path}`], { cwd: root }).status === 0;

/** Returns `origin/main`, else `main`; undefined where the repository has neither. */
export const publishedRevision = (root: string): string | undefined =>
  ['origin/main', 'main'].find((name) => has(root, name, ''));

/** Writes the files of a revision into a folder. */
export function extract(options: {
  root: string;
  revision: string;
  /** Default: all. */
  paths?: readonly string[];
  to: string;
}): void {
  const archive = join(options.to, 'archive.tar');
  git(options.root, 'archive', `--output=${archive}`, options.revision, ...(options.paths ?? []));
  run('tar', ['-xf', archive], options.to);
  rmSync(archive);
}
