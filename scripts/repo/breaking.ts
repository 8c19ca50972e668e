// npm run breaking: fails on a change of OpenAPI documents or protobuf contracts that breaks callers without a new version, and
// on a changed webhook or event that no new line of CHANGELOG.md names.
// Usage: node scripts/repo/breaking.ts [--against <revision>]   (default: origin/main, else main)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EARLIER_VERSIONS, INTERFACES } from '@kontoport/openapi/interfaces';
import { changedPayloads, eventPayloads, type Payloads, webhookPayloads } from '@kontoport/openapi/payloads';
import { parse } from 'yaml';
import { extract, git, publishedRevision } from './git.ts';
import { breakingChanges, missingOasdiff } from './oasdiff.ts';
import { documentPath } from './openapi.ts';

const BUF = join(import.meta.dirname, '../../node_modules/.bin/buf');
/** Exit code of buf when it found changes. */
const FOUND = 100;

type Document = Readonly<Record<string, unknown>> & { info: { version: string } };

/** Finds the changes of OpenAPI documents between two trees that break callers and that no new version announces. */
function brokenDocuments(before: string, after: string): string[] {
  return [...INTERFACES, ...EARLIER_VERSIONS].flatMap((described) => {
    const path = documentPath(described);
    if (!existsSync(join(before, path))) return [];
    if (!existsSync(join(after, path))) return [`${path} is gone`];
    const [old, now] = [before, after].map((tree) => JSON.parse(read(tree, path)) as Document);
    const [from, to] = [old!.info.version, now!.info.version];
    if (announcesBreak(from, to)) return [];
    return breakingChanges(join(before, path), join(after, path)).map(
      (change) => `${path} (${from === to ? from : `${from} → ${to}`}) ${change}`,
    );
  });
}

/** Whether a version announces a breaking change to users of the other: its first number that is not 0 grew. */
export function announcesBreak(before: string, after: string): boolean {
  const [old, now] = [before, after].map((version) => version.split(/[.+-]/).slice(0, 3).map(Number));
  const at = now!.findIndex((number, index) => number !== old![index]);
  if (at < 0 || now![at]! < old![at]!) return false;
  const first = old!.findIndex((number) => number > 0);
  return first < 0 || at <= first;
}

/** Finds the changes of the protobuf contracts that break a service of the other version. */
function brokenContracts(before: string, after: string): string[] {
  const args = ['breaking', 'proto', '--against', join(before, 'proto')];
  const { status, stdout, stderr } = spawnSync(BUF, args, { cwd: after, encoding: 'utf8' });
  if (status !== 0 && status !== FOUND) throw new Error(`buf: ${stderr}${stdout}`.trim());
  return stdout.split('\n').filter((line) => line !== '');
}

const CHANGELOG = 'CHANGELOG.md';

/** The files that describe payloads, and how to read them. */
const PAYLOADS: readonly { path: string; payloads: (text: string) => Payloads; what: string }[] = [
  ...INTERFACES.map((described) => ({
    path: documentPath(described),
    payloads: (text: string) => webhookPayloads(JSON.parse(text) as Document),
    what: 'webhook',
  })),
  {
    path: 'proto/asyncapi.yaml',
    payloads: (text) => eventPayloads(parse(text) as Document),
    what: 'event',
  },
];

/** Finds the webhooks and events whose payload changed, and that no new line of the changelog names. */
function unannouncedPayloads(before: string, after: string): string[] {
  const old = new Set(read(before, CHANGELOG).split('\n'));
  const added = read(after, CHANGELOG)
    .split('\n')
    .filter((line) => !old.has(line));
  return PAYLOADS.flatMap(({ path, payloads, what }) => {
    const [then, now] = [before, after].map((tree) =>
      existsSync(join(tree, path)) ? payloads(read(tree, path)) : new Map(),
    );
    return changedPayloads(then!, now!)
      .filter((name) => !added.some((line) => line.includes(name)))
      .map((name) => `${path}: the ${what} ${name} changed, and no new line of ${CHANGELOG} names it`);
  });
}

const read = (tree: string, path: string): string =>
  existsSync(join(tree, path)) ? readFileSync(join(tree, path), 'utf8') : '';

/**
 * Compares a repository's documents and contracts with those of a revision.
 * @param against default: `origin/main`, else `main`; without either, nothing is compared
 * @returns a line that names the revision, and the faults, one sentence each
 * @throws Error when git does not know the revision
 */
export function compare(
  root: string,
  against = publishedRevision(root),
): { message: string; changes: string[] } {
  if (against === undefined)
    return {
      message: 'Compared with nothing: the clone has neither origin/main nor main.',
      changes: [],
    };
  const before = mkdtempSync(join(tmpdir(), 'kontoport-before-'));
  try {
    const commit = git(root, 'rev-parse', '--short', `${against}^{commit}`).trim();
    extract({ root, revision: against, paths: ['proto', CHANGELOG], to: before });
    const missing = missingOasdiff();
    const documents = missing === undefined ? brokenDocuments(before, root) : process.env.CI ? [missing] : [];
    const skipped = missing === undefined ? '' : ` OpenAPI documents are not compared: ${missing}.`;
    return {
      message: `Compared with ${against} (${commit}).${skipped}`,
      changes: [...documents, ...brokenContracts(before, root), ...unannouncedPayloads(before, root)],
    };
  } finally {
    rmSync(before, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '../..');
  const { values } = parseArgs({ options: { against: { type: 'string' } } });
  const { message, changes } = compare(root, values.against);
  console.log(message);
  for (const change of changes) console.error(change);
  if (changes.length > 0)
    console.error(
      'Undo the change; or raise the version in libs/openapi/src/interfaces.ts, put messages into a new package, and add a line to CHANGELOG.md.',
    );
  process.exitCode = changes.length > 0 ? 1 : 0;
}
