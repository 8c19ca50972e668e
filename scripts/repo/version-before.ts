// The version of a service before its newest migration: which it is, and how its own tests are run on the present schema.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { publishedRevision } from './breaking.ts';

/** A service, and what was there before its newest migration. */
export interface VersionBefore {
  service: string;
  /** A commit, or a release's tag. */
  revision: string;
  /** The name of the migration that it does not have. */
  migration: string;
}

const migrationsOf = (service: string): string => `services/${service}/prisma/migrations`;

/**
 * The last release that lacks the newest migration of a service; before there is one, the commit before that migration.
 * @returns undefined where the history does not go back so far, as in a shallow clone, or the service began with it
 */
export function versionBefore(root: string, service: string): VersionBefore | undefined {
  const migration = newestMigration(root, service);
  if (migration === undefined) return undefined;
  const path = `${migrationsOf(service)}/${migration}/migration.sql`;
  const first = dirname(dirname(migrationsOf(service)));
  const has = (revision: string, what: string): boolean =>
    git(root, 'cat-file', '-e', `${revision}:${what}`) !== undefined;
  const lacks = (revision: string): boolean => has(revision, first) && !has(revision, path);
  const releases = lines(git(root, 'tag', '--merged', 'HEAD', '--list', 'v*', '--sort=-version:refname'));
  const release = releases.find(lacks);
  if (release !== undefined) return { service, revision: release, migration };
  const [added] = lines(git(root, 'log', '--diff-filter=A', '--format=%H', 'HEAD', '--', path));
  const before = added === undefined ? 'HEAD' : `${added}^`;
  return lacks(before) ? { service, revision: before, migration } : undefined;
}

/** The services whose migrations are not on main yet; where there is none, the one that has the newest of all. */
export function servicesToTry(root: string): string[] {
  const services = globSync('services/*/prisma/migrations', { cwd: root })
    .map((path) => basename(dirname(dirname(path))))
    .toSorted();
  const main = publishedRevision(root);
  const base = main && lines(git(root, 'merge-base', 'HEAD', main))[0];
  const isNew = (service: string): boolean => {
    const path = `${migrationsOf(service)}/${newestMigration(root, service)}/migration.sql`;
    return base !== undefined && git(root, 'cat-file', '-e', `${base}:${path}`) === undefined;
  };
  const fresh = services.filter(isNew);
  if (fresh.length > 0) return fresh;
  const age = (service: string): string => newestMigration(root, service) ?? '';
  return services.toSorted((one, other) => (age(one) < age(other) ? 1 : -1)).slice(0, 1);
}

const newestMigration = (root: string, service: string): string | undefined =>
  globSync('*/migration.sql', { cwd: join(root, migrationsOf(service)) })
    .map(dirname)
    .toSorted()
    .at(-1);

/** A folder with a revision of this repository. */
export interface Older {
  folder: string;
  remove(): void;
}

/**
 * Unpacks a revision, with the packages that are installed here, those of its own that are not any more, and its code generated.
 * @throws Error in the words of what failed
 */
export function unpack(root: string, revision: string): Older {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-before-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'archive.tar');
    run('git', ['archive', `--output=${archive}`, revision], root);
    run('tar', ['-xf', archive], folder);
    rmSync(archive);
    linkPackages(root, folder);
    // What it would generate just so is not generated again: each part knows of what it was made.
    for (const generated of globSync(['proto/gen', 'services/*/src/gen'], { cwd: root }))
      if (existsSync(join(folder, dirname(generated))))
        cpSync(join(root, generated), join(folder, generated), { recursive: true });
    // Releases before 0.2.0 have it one folder higher.
    const generator = ['scripts/repo/generate.ts', 'scripts/generate.ts'].find((file) =>
      existsSync(join(folder, file)),
    );
    run(process.execPath, [...QUIET, generator!], folder);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

const QUIET = ['--disable-warning=ExperimentalWarning'];

/** Its workspaces are its own; everything else is ours, but for what we have no more. */
function linkPackages(root: string, folder: string): void {
  const theirs = join(folder, 'node_modules');
  for (const name of packagesIn(join(root, 'node_modules')))
    link(join(root, 'node_modules', name), join(theirs, name));
  for (const file of globSync(
    ['proto/package.json', '{docker,scripts,services,libs}/{,*/,*/*/}package.json'],
    { cwd: folder },
  )) {
    const { name } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { name: string };
    link(join(folder, dirname(file)), join(theirs, name));
  }
  for (const own of globSync('{services,libs,scripts}/{*,*/*}/node_modules', { cwd: root }))
    if (existsSync(join(folder, dirname(own)))) symlinkSync(join(root, own), join(folder, own));
  addGone(folder);
}

/** What is installed, but for workspaces. */
function packagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== '@kontoport' && name !== '.cache')
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((own) => `${name}/${own}`) : [name],
    );
}

/** Installs what its lock names and we do not have, beside what is linked: the very same, as the lock knows it. */
function addGone(folder: string): void {
  const theirs = join(folder, 'node_modules');
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as Lock;
  const foreign = Object.entries(lock.packages).filter(
    ([path, { link: isOurs }]) => path.startsWith('node_modules/') && !isOurs,
  );
  const gone = foreign.flatMap(([path, { version, optional }]) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    return name === undefined || optional || existsSync(join(theirs, name))
      ? []
      : [[name, version!] as const];
  });
  if (gone.length === 0) return;
  const more = join(folder, 'more');
  const wanted = { name: 'more', version: '0.0.0', dependencies: Object.fromEntries(gone) };
  mkdirSync(more);
  writeFileSync(join(more, 'package.json'), JSON.stringify(wanted));
  const packages = { '': wanted, ...Object.fromEntries(foreign) };
  writeFileSync(join(more, 'package-lock.json'), JSON.stringify({ ...lock, ...wanted, packages }));
  const options = [
    '--loglevel=error',
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  ];
  run('npm', ['ci', ...options], more);
  for (const [name] of gone) link(join(more, 'node_modules', name), join(theirs, name));
}

/** What is read of a lock file. */
interface Lock {
  packages: Record<string, { version?: string; link?: boolean; optional?: boolean }>;
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** Gives a service of an unpacked revision the migrations of another folder, so that its tests run on that schema. */
export function giveMigrations(older: Older, service: string, from: string): void {
  const path = join(older.folder, migrationsOf(service));
  rmSync(path, { recursive: true, force: true });
  cpSync(from, path, { recursive: true });
}

/** What came of tests. */
export interface Outcome {
  passed: number;
  failed: number;
  said: string;
}

/**
 * Runs test files of a service of an unpacked revision, by its own runner.
 * @param options.files names without `.test.ts`; those that the revision does not have are left out
 * @param options.postgres the server to make databases on
 */
export function runTests(
  older: Older,
  { service, files, postgres }: { service: string; files: readonly string[]; postgres: string },
): Outcome {
  const report = join(older.folder, 'report.json');
  rmSync(report, { force: true });
  const { stderr } = spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      ...QUIET,
      createRequire(import.meta.url).resolve('jest/bin/jest'),
      '--config',
      join(older.folder, 'libs/testing/jest/config.mjs'),
      '--maxWorkers=1',
      '--json',
      `--outputFile=${report}`,
      '--runTestsByPath',
      ...files
        .map((file) => join(older.folder, 'services', service, 'test', `${file}.test.ts`))
        .filter(existsSync),
    ],
    {
      cwd: older.folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TEST_DATABASE_URL: postgres },
    },
  );
  if (!existsSync(report)) throw new Error(stderr);
  const read = JSON.parse(readFileSync(report, 'utf8')) as {
    numPassedTests: number;
    numFailedTests: number;
    numRuntimeErrorTestSuites: number;
  };
  return {
    passed: read.numPassedTests,
    failed: read.numFailedTests + read.numRuntimeErrorTestSuites,
    said: stderr,
  };
}

const lines = (text: string | undefined): string[] => (text ?? '').split('\n').filter((line) => line !== '');

/** What git says; undefined where it fails, or is not there. */
function git(root: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
