// The tests as a step of npm test: Jest's run, what is run once more, and what is counted of it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runJest } from './jest.ts';

/** What a step of npm test adds to the closing line. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 };

/** More files than these did not fail by chance. */
const ONCE_MORE_AT_MOST = 3;

/** The part of Jest's report that is read. */
interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: { name: string; status: 'passed' | 'failed'; assertionResults: { status: string }[] }[];
}

/**
 * Runs the tests and counts them. In a whole run a file that fails, unless many do, is run once more by itself: the
 * tests share one machine with two brokers, browsers and processes that are killed, and a fault of the code fails
 * twice. What held the second time only is named at the end, to be looked into.
 * @param args go to Jest; with any, nothing is run once more
 */
export async function runTests(args: readonly string[], jest = runJest): Promise<Counts> {
  const first = await report(args, jest);
  if (first === undefined) return { ...NOTHING, failed: 1 };
  const failing = first.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  if (args.length > 0 || failing.length === 0 || failing.length > ONCE_MORE_AT_MOST) return countsOf(first);
  const names = failing.map((file) => relative(join(import.meta.dirname, '..'), file));
  console.log(`\n── once more: ${names.join(', ')}`);
  const second = await report(['--maxWorkers=1', '--runTestsByPath', ...failing], jest);
  if (second === undefined) return countsOf(first);
  const counts = sum(countsOf(without(first, failing)), countsOf(second));
  if (counts.failed === 0) console.log(`\nheld only when run once more: ${names.join(', ')}`);
  return counts;
}

async function report(args: readonly string[], jest: typeof runJest): Promise<Report | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-test-'));
  try {
    const file = join(folder, 'report.json');
    const code = await jest([...args, '--json', `--outputFile=${file}`]);
    if (!existsSync(file)) return undefined;
    const read = JSON.parse(readFileSync(file, 'utf8')) as Report;
    // What is around the tests, such as the end of PostgreSQL, can fail as well.
    if (code !== 0 && countsOf(read).failed === 0) return undefined;
    return read;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const countsOf = (report: Report): Counts => ({
  passed: report.numPassedTests,
  failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
  skipped: report.numPendingTests + report.numTodoTests,
});

/** The report as if these files, which failed, had not been run. */
function without(report: Report, files: readonly string[]): Report {
  const left = report.testResults.filter(({ name }) => !files.includes(name));
  const count = (...statuses: string[]): number =>
    left.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => statuses.includes(status))
      .length;
  return {
    numPassedTests: count('passed'),
    numFailedTests: 0,
    numPendingTests: count('pending', 'skipped', 'disabled'),
    numTodoTests: count('todo'),
    numRuntimeErrorTestSuites: 0,
    testResults: left,
  };
}

const sum = (a: Counts, b: Counts): Counts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});
