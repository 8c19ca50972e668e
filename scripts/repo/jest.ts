// npm run test:only -- [WORKSPACE…] [Jest arguments]: runs tests alone, of the workspaces named, else of all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { generate } from './generate.ts';

const root = join(import.meta.dirname, '../..');

const HELP = `usage: npm run test:only -- [WORKSPACE…] [Jest arguments]

Runs the tests of the workspaces named (auth, certificates, docker …), else of all, without any other check.
  --testPathPatterns <pattern>   only files whose path matches
  --testNamePattern <pattern>    only tests whose name matches
  --in src|test                  only the tests beside the sources, or only the others

Example: npm run test:only -- auth --testPathPatterns consents
`;

/** The numbers of passed, failed and skipped tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The part of Jest's report that is read. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
}

/**
 * Runs Jest in its ESM mode and counts the tests. A Jest that fails without a failed test, for example because
 * PostgreSQL did not start, counts as one failure.
 * @param args begin with the names of workspaces; the others go to Jest
 * @param file where the counts are written as well
 */
export async function runTests(args: readonly string[], file?: string): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-jest-'));
  const report = join(folder, 'report.json');
  try {
    const { workspaces, folders, rest } = readArguments(args);
    const select = workspaces.length > 0 ? ['--selectProjects', ...workspaces] : [];
    const code = await run([...select, ...rest, '--json', `--outputFile=${report}`], folders);
    const counts = countsOf(report);
    if (code !== 0 && counts.failed === 0) counts.failed = 1;
    if (file !== undefined) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(counts));
    }
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(args: readonly string[], folders: string | undefined): Promise<number> {
  // Nx forces colors, which would reach the programs that tests start.
  const { FORCE_COLOR: _, ...env } = process.env;
  const jest = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      createRequire(import.meta.url).resolve('jest/bin/jest'),
      '--config',
      join(root, 'libs/testing/jest/config.mjs'),
      ...args,
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...env, ...(folders === undefined ? {} : { TEST_FOLDERS: folders }) },
    },
  );
  const [code] = (await once(jest, 'exit')) as [number | null];
  return code ?? 1;
}

function countsOf(report: string): Counts {
  if (!existsSync(report)) return { passed: 0, failed: 0, skipped: 0 };
  const read = JSON.parse(readFileSync(report, 'utf8')) as Report;
  return {
    passed: read.numPassedTests,
    failed: read.numFailedTests + read.numRuntimeErrorTestSuites,
    skipped: read.numPendingTests + read.numTodoTests,
  };
}

/** Splits arguments into workspaces, the folders of `--in`, and what goes to Jest. */
function readArguments(args: readonly string[]): { workspaces: string[]; folders?: string; rest: string[] } {
  const first = args.findIndex((arg) => arg.startsWith('-'));
  const options = first === -1 ? [] : args.slice(first);
  const workspaces = args.slice(0, first === -1 ? args.length : first).map((name) => basename(name));
  const known = globSync('{docker,services,libs,scripts}/**/package.json', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'gen',
  }).map((path) => basename(dirname(path)));
  const unknown = workspaces.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `there is no workspace ${unknown.join(', ')}: choose among ${known.toSorted().join(', ')}`,
    );
  const at = options.indexOf('--in');
  if (at === -1) return { workspaces, rest: options };
  return { workspaces, folders: options[at + 1]!, rest: options.toSpliced(at, 2) };
}

if (process.argv[1] === import.meta.filename) {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(HELP);
  } else {
    try {
      // Nx has generated the code before.
      if (process.env.TEST_REPORT === undefined) generate();
      const { failed } = await runTests(args, process.env.TEST_REPORT);
      process.exitCode = failed > 0 ? 1 : 0;
    } catch (error) {
      console.error(`kontoport: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 2;
    }
  }
}
