// Runs the tests of a service's previous version on the present schema.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { extract, git, has, publishedRevision, run } from './git.ts';

const migrationsOf = (service: string): string => `services/${service}/prisma/migrations`;

/** Returns the newest migration of a service as a path from the root. */
const newestMigration = (root: string, service: string): string | undefined =>
  globSync(`${migrationsOf(service)}/*/migration.sql`, { cwd: root })
    .toSorted()
    .at(-1);

/**
 * Finds the last release that lacks the newest migration of a service; before there is one, the commit before that migration.
 * @returns undefined where the history does not go back so far, as in a shallow clone, or the service began with it
 */
export function versionBefore(root: string, service: string): string | undefined {
  const migration = newestMigration(root, service);
  if (migration === undefined) return undefined;
  const lacks = (revision: string): boolean =>
    has(root, revision, `services/${service}/prisma`) && !has(root, revision, migration);
  const lines = (...args: string[]): string[] =>
    git(root, ...args)
      .split('\n')
      .filter(Boolean);
  const releases = lines('tag', '--merged', 'HEAD', '--list', 'v*', '--sort=-version:refname');
  const [added] = lines('log', '--diff-filter=A', '--format=%H', 'HEAD', '--', migration);
  return [...releases, added === undefined ? 'HEAD' : `${added}^`].find(lacks);
}

/** Lists the services whose migrations are not on main yet; if there is none, the one with the newest of all. */
export function servicesToTry(root: string): string[] {
  const services = globSync('services/*/prisma/migrations', { cwd: root })
    .map((path) => basename(dirname(dirname(path))))
    .toSorted();
  const main = publishedRevision(root);
  const base = main && git(root, 'merge-base', 'HEAD', main).trim();
  const fresh = services.filter(
    (service) => base !== undefined && !has(root, base, newestMigration(root, service)!),
  );
  if (fresh.length > 0) return fresh;
  const nameOf = (service: string): string => basename(dirname(newestMigration(root, service)!));
  return services.toSorted((one, other) => (nameOf(one) < nameOf(other) ? 1 : -1)).slice(0, 1);
}

/** Installs a revision in a folder of its own, with the packages of its lock file and its generated code. */
export function install(root: string, revision: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-before-'));
  extract({ root, revision, to: folder });
  run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  return folder;
}

/** Replaces the migrations of a service in an installed revision. */
export function replaceMigrations(folder: string, service: string, from: string): void {
  const path = join(folder, migrationsOf(service));
  rmSync(path, { recursive: true, force: true });
  cpSync(from, path, { recursive: true });
}

/** Counts of tests, and what Jest printed. */
export interface Outcome {
  passed: number;
  failed: number;
  output: string;
}

/**
 * Runs test files of a service of an installed revision by its own Jest.
 * @param options.files names without `.test.ts`; those that the revision does not have are left out
 * @param options.postgres the server on which the tests make databases
 */
export function runTests(
  folder: string,
  { service, files, postgres }: { service: string; files: readonly string[]; postgres: string },
): Outcome {
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const paths = files.map((file) => join(folder, 'services', service, 'test', `${file}.test.ts`));
  const { stderr } = spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(folder, 'node_modules/jest/bin/jest.js'),
      '--config',
      join(folder, 'libs/testing/jest/config.mjs'),
      '--maxWorkers=1',
      '--json',
      `--outputFile=${report}`,
      '--runTestsByPath',
      ...paths.filter(existsSync),
    ],
    {
      cwd: folder,
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
    output: stderr,
  };
}
