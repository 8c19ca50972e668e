import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { runTests } from '../run-tests.ts';

const root = join(import.meta.dirname, '../..');
const file = (name: string): string => join(root, 'libs/a/test', `${name}.test.ts`);

/** A file's results: a letter a test, `.` passed, `x` failed, `s` skipped; `!` a file that does not start. */
type Results = Record<string, string>;

/** A Jest that reports these runs, one after another, and remembers what it was asked for. */
function jestOf(...runs: readonly (Results | 'no report' | 'a failure around the tests')[]) {
  const asked: string[][] = [];
  const run = async (args: readonly string[]): Promise<number> => {
    asked.push(args.filter((arg) => !arg.startsWith('--outputFile=')));
    const planned = runs[asked.length - 1];
    if (planned === undefined) throw new Error('one run too many');
    if (planned === 'no report') return 1;
    const results = planned === 'a failure around the tests' ? { a: '.' } : planned;
    const all = Object.values(results).join('');
    const count = (letter: string): number => all.split(letter).length - 1;
    const report = {
      numPassedTests: count('.'),
      numFailedTests: count('x'),
      numPendingTests: count('s'),
      numTodoTests: 0,
      numRuntimeErrorTestSuites: count('!'),
      testResults: Object.entries(results).map(([name, letters]) => ({
        name: file(name),
        status: /[x!]/.test(letters) ? 'failed' : 'passed',
        assertionResults: letters
          .replaceAll('!', '')
          .split('')
          .map((letter) => ({
            status: { '.': 'passed', x: 'failed', s: 'pending' }[letter],
          })),
      })),
    };
    writeFileSync(args.find((arg) => arg.startsWith('--outputFile='))!.slice(13), JSON.stringify(report));
    return planned === results && !/[x!]/.test(all) ? 0 : 1;
  };
  return { run, asked };
}

let said: string;
beforeEach(() => {
  said = '';
  jest.spyOn(console, 'log').mockImplementation((line: string) => void (said += `${line}\n`));
});
afterEach(() => jest.restoreAllMocks());

const counts = (passed: number, failed: number, skipped = 0) => ({ passed, failed, skipped });

describe('the tests as a step of npm test', () => {
  it('are run once when they hold, and counted', async () => {
    const { run, asked } = jestOf({ a: '..', b: '.s' });
    expect(await runTests([], run)).toEqual(counts(3, 0, 1));
    expect(asked).toEqual([['--json']]);
    expect(said).toBe('');
  });

  it('a file that fails, or does not start, is run once more by itself and named when it then holds', async () => {
    const { run, asked } = jestOf({ a: '.s', b: '.x.', c: '!' }, { b: '...', c: '..s' });
    expect(await runTests([], run)).toEqual(counts(6, 0, 2));
    expect(asked[1]).toEqual(['--maxWorkers=1', '--runTestsByPath', file('b'), file('c'), '--json']);
    expect(said).toContain('held only when run once more: libs/a/test/b.test.ts, libs/a/test/c.test.ts');
  });

  it('what fails twice has failed, and only the second time counts', async () => {
    expect(await runTests([], jestOf({ a: '.', b: 'xx.' }, { b: '.x.' }).run)).toEqual(counts(3, 1));
    expect(said).not.toContain('held only');
  });

  it('four files that fail are no chance', async () => {
    const { run, asked } = jestOf({ a: 'x', b: 'x', c: 'x', d: '!', e: '.' });
    expect(await runTests([], run)).toEqual(counts(1, 4));
    expect(asked).toHaveLength(1);
    expect(await runTests([], jestOf({ a: 'x', b: 'x', c: 'x' }, { a: '.', b: '.', c: '.' }).run)).toEqual(
      counts(3, 0),
    );
  });

  it('a selection is run once, whatever comes of it', async () => {
    const { run, asked } = jestOf({ a: 'x' });
    expect(await runTests(['--selectProjects', 'a'], run)).toEqual(counts(0, 1));
    expect(asked).toEqual([['--selectProjects', 'a', '--json']]);
  });

  it.each(['no report', 'a failure around the tests'] as const)('%s is a failure', async (outcome) => {
    expect(await runTests([], jestOf(outcome).run)).toEqual(counts(0, 1));
    expect(await runTests([], jestOf({ a: '.', b: 'x' }, outcome).run)).toEqual(counts(1, 1));
  });
});
