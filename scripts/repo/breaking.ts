// Fails on a change of the OpenAPI documents that breaks callers and that no new version announces, on one of the protobuf
// contracts that breaks a service of the version before, and on one of a webhook or an event that CHANGELOG.md does not tell.
// Usage: node scripts/repo/breaking.ts [--against <revision>]   (default: origin/main, else main)
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { EARLIER_VERSIONS, INTERFACES } from '@kontoport/openapi/interfaces';
import { changedPayloads, eventPayloads, type Payloads, webhookPayloads } from '@kontoport/openapi/payloads';
import { parse } from 'yaml';
import { breakingChanges, missingOasdiff } from './oasdiff.ts';
import { documentPath } from './openapi.ts';

type Document = Readonly<Record<string, unknown>> & {
  info: { version: string };
  servers?: { url: string }[];
};

/**
 * What breaks callers without a new version, a sentence each.
 * @param options.against a revision of the repository; an interface that it does not have is new
 * @throws Error when git does not know the revision
 */
export function breaking(root: string, { against }: { against: string }): string[] {
  if (!isRevision(root, against)) throw new Error(`there is no revision ${against}`);
  return [...INTERFACES, ...EARLIER_VERSIONS].flatMap((described) => {
    const path = documentPath(described);
    const known = git(root, ['ls-tree', '--name-only', against, path], `${path} cannot be looked up`);
    if (known.trim() === '') return [];
    if (!existsSync(join(root, path))) return [`${path} is gone`];
    const before = git(root, ['show', `${against}:${path}`], `${path} cannot be read`);
    const after = readFileSync(join(root, path), 'utf8');
    const [from, to] = [before, after].map((text) => JSON.parse(text) as Document) as [Document, Document];
    const [old, now] = [from.info.version, to.info.version];
    if (announcesBreak(old, now)) return [];
    return [...lostServers(from, to), ...breakingChanges(before, after)].map(
      (change) => `${path} (${old === now ? old : `${old} → ${now}`}) ${change}`,
    );
  });
}

/** Addresses of an interface that are gone, which oasdiff does not look at. */
function lostServers(before: Document, after: Document): string[] {
  const kept = new Set(after.servers?.map(({ url }) => url));
  return (before.servers ?? [])
    .filter(({ url }) => !kept.has(url))
    .map(({ url }) => `${url} is no longer an address`);
}

/** Whether a version announces a breaking change to whoever uses the other: its first number that is not 0 grew. */
export function announcesBreak(before: string, after: string): boolean {
  const [old, now] = [before, after].map((version) => version.split(/[.+-]/).slice(0, 3).map(Number));
  const at = now!.findIndex((number, index) => number !== old![index]);
  if (at < 0 || now![at]! < old![at]!) return false;
  const first = old!.findIndex((number) => number > 0);
  return first < 0 || at <= first;
}

const CHANGELOG = 'CHANGELOG.md';

/** Where it is told what is sent, and how that is read. */
const PAYLOADS: readonly { path: string; read: (text: string) => Payloads; what: string }[] = [
  ...INTERFACES.map((described) => ({
    path: documentPath(described),
    read: (text: string) => webhookPayloads(JSON.parse(text) as Document),
    what: 'webhook',
  })),
  {
    path: 'proto/asyncapi.yaml',
    read: (text) => eventPayloads(parse(text) as Document),
    what: 'event',
  },
];

/** What is sent otherwise than in `against`, without a line of its own in the changelog that names it; a sentence each. */
export function untoldPayloads(root: string, { against }: { against: string }): string[] {
  const before = (path: string): string | undefined => {
    const known = git(root, ['ls-tree', '--name-only', against, path], `${path} cannot be looked up`);
    return known.trim() === ''
      ? undefined
      : git(root, ['show', `${against}:${path}`], `${path} cannot be read`);
  };
  const now = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  const old = new Set((before(CHANGELOG) ?? '').split('\n'));
  const fresh = (now(CHANGELOG) ?? '').split('\n').filter((line) => !old.has(line));
  return PAYLOADS.flatMap(({ path, read, what }) => {
    const [then, present] = [before(path), now(path)].map((text) =>
      text === undefined ? new Map() : read(text),
    );
    return changedPayloads(then!, present!)
      .filter((name) => !fresh.some((line) => line.includes(name)))
      .map((name) => `${path}: the ${what} ${name} changed, and no new line of ${CHANGELOG} names it`);
  });
}

const BUF = join(import.meta.dirname, '../../node_modules/.bin/buf');
/** What buf ends with when it found changes. */
const FOUND = 100;

/**
 * What breaks a service that speaks the protobuf contracts of `against`, a line each; asks no network.
 * @throws Error when the contracts cannot be read
 */
export function breakingContracts(root: string, { against }: { against: string }): string[] {
  const listed = git(root, ['ls-tree', '-r', '--name-only', against, 'proto'], 'proto cannot be looked up');
  const files = listed.split('\n').filter((path) => /\.proto$|\/buf\.yaml$/.test(path));
  if (!files.some((path) => path.endsWith('.proto'))) return [];
  const before = mkdtempSync(join(tmpdir(), 'kontoport-proto-'));
  try {
    for (const path of files) {
      mkdirSync(dirname(join(before, path)), { recursive: true });
      writeFileSync(join(before, path), git(root, ['show', `${against}:${path}`], `${path} cannot be read`));
    }
    const args = ['breaking', 'proto', '--against', join(before, 'proto')];
    const { status, stdout, stderr } = spawnSync(BUF, args, { cwd: root, encoding: 'utf8' });
    if (status !== 0 && status !== FOUND) throw new Error(`buf: ${stderr}${stdout}`.trim());
    return stdout.split('\n').filter((line) => line !== '');
  } finally {
    rmSync(before, { recursive: true, force: true });
  }
}

/**
 * Documents and contracts against those of a revision.
 * @param against default: main as everybody has it, else our own; where neither is at hand nothing is compared
 */
export function compare(
  root: string,
  against = publishedRevision(root),
): { said: string; changes: string[] } {
  if (against === undefined)
    return {
      said: 'Compared with nothing: neither origin/main nor main is at hand (a shallow clone, or no repository).',
      changes: [],
    };
  const missing = missingOasdiff();
  const changes = [
    ...(missing === undefined ? breaking(root, { against }) : process.env.CI ? [missing] : []),
    ...breakingContracts(root, { against }),
    ...untoldPayloads(root, { against }),
  ];
  const commit = git(
    root,
    ['rev-parse', '--short', `${against}^{commit}`],
    `there is no revision ${against}`,
  );
  const skipped = missing === undefined ? '' : ` OpenAPI documents are not compared: ${missing}.`;
  return { said: `Compared with ${against} (${commit.trim()}).${skipped}`, changes };
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
  const root = join(import.meta.dirname, '../..');
  const { values } = parseArgs({ options: { against: { type: 'string' } } });
  const { said, changes } = compare(root, values.against);
  console.log(said);
  for (const change of changes) console.error(change);
  if (changes.length > 0)
    console.error(
      'Take it back; or raise the version in libs/openapi/src/interfaces.ts, give messages a package of their own, and tell of it.',
    );
  process.exitCode = changes.length > 0 ? 1 : 0;
}
