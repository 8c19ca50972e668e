// npm run openapi:tools: builds oasdiff, which compares OpenAPI documents, into the user's cache. It needs Go 1.26.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VERSION = 'v1.37.0';
const FOLDER = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kontoport/oasdiff', VERSION);
const PROGRAM = join(FOLDER, 'oasdiff');
/** Changes that oasdiff allows by default and that a caller of ours would notice (§9.4). */
const SEVERITIES = join(import.meta.dirname, 'oasdiff-severities.txt');
/** Level of a breaking change in oasdiff's JSON. */
const ERROR = 3;
/** Additions that a receiver of a webhook ignores, while they break the caller of a route. */
const GROWS = new Set(['new-required-request-property', 'new-required-request-parameter']);
/** Exit code of oasdiff when it found changes. */
const FOUND = 1;

interface Change {
  id: string;
  level: number;
  /** Absent where a whole webhook is gone. */
  operation?: string;
  path?: string;
  text: string;
}

/** Returns why documents cannot be compared on this machine; undefined when they can. */
export function missingOasdiff(): string | undefined {
  return existsSync(PROGRAM) ? undefined : 'oasdiff is not built: npm run openapi:tools (needs Go 1.26)';
}

/**
 * Compares two files of OpenAPI documents.
 * @returns the changes that break a caller of `before`, a line each
 * @throws Error when a document cannot be read
 */
export function breakingChanges(before: string, after: string): string[] {
  const options = ['--fail-on=ERR', '--format=json', `--severity-levels=${SEVERITIES}`];
  const { status, stdout, stderr } = spawnSync(PROGRAM, ['breaking', before, after, ...options], {
    encoding: 'utf8',
  });
  if (status === 0) return [];
  if (status !== FOUND || stdout.trim() === '') throw new Error(`oasdiff: ${stderr}${stdout}`.trim());
  return (JSON.parse(stdout) as Change[])
    .filter(({ id, level, path }) => level === ERROR && !(path?.startsWith('webhook:') && GROWS.has(id)))
    .map(({ operation, path, text }) => (path === undefined ? text : `${operation} ${path}: ${text}`));
}

if (process.argv[1] === import.meta.filename && missingOasdiff() !== undefined)
  execFileSync('go', ['install', '-trimpath', '-ldflags=-s -w', `github.com/oasdiff/oasdiff@${VERSION}`], {
    cwd: '/',
    stdio: 'inherit',
    env: { ...process.env, GOBIN: FOLDER, CGO_ENABLED: '0' },
  });
