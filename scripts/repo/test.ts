// npm test and npm run check: Nx runs the targets of every workspace; the last line counts tests and failed checks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Counts } from './jest.ts';

const root = join(import.meta.dirname, '../..');
/** The folder of the counts of the targets `unit` and `test`, which Nx caches as their outputs. */
const REPORTS = join(root, '.local/test-reports');

const TARGETS = {
  test: ['typecheck', 'lint', 'unit', 'test', 'repository'],
  check: ['typecheck', 'lint', 'unit'],
} as const;

const HELP = `usage: npm test [-- <Nx arguments>]
       npm run check [-- <Nx arguments>]

"npm test" is "nx run-many -t ${TARGETS.test.join(' ')}":
  typecheck, lint   of each workspace, import boundaries included
  unit              the tests beside the sources
  test              the other tests, on PostgreSQL, Kafka, edges, browsers and images
  repository        dependencies, lock file, contract and index, values of the chart, OpenAPI documents,
                    changes that break callers, and format
"npm run check" runs the first two and "unit". What did not change since an earlier run comes from Nx's cache.

  --affected                what changed since main (nx affected)
  --projects auth,payments  only these workspaces, with "@kontoport/" before each name
  --skip-nx-cache           runs everything again

Tests of one workspace alone: npm run test:only -- auth --testPathPatterns consents

Where a container engine answers, PostgreSQL and Apache Kafka run in containers of POSTGRES_IMAGE (postgres:18) and
KAFKA_IMAGE (apache/kafka:4.3.1). Elsewhere PostgreSQL comes with npm, and Apache Kafka is started by Java 17 with Maven.
The first line says which it is; TEST_CONTAINERS=true or false decides. DATABASE_URL or TEST_DATABASE_URL and
KAFKA_BROKERS name servers that run already. Tests whose parts are missing on this machine are counted as skipped, or
as failed when CI is set; when CI is set, a test that fails runs once more.
The last line is "N passed, N failed" or "N passed, N failed, N skipped"; the exit code is 0 when nothing failed.
`;

/** Runs Nx and shows what it prints. @returns its exit code and the end of its output */
async function runNx(args: readonly string[]): Promise<{ code: number; end: string }> {
  const nx = spawn('nx', args, {
    cwd: root,
    stdio: ['inherit', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: [join(root, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter),
    },
  });
  let end = '';
  for (const [stream, shown] of [
    [nx.stdout, process.stdout],
    [nx.stderr, process.stderr],
  ] as const)
    stream.setEncoding('utf8').on('data', (part: string) => {
      shown.write(part);
      end = `${end}${part}`.slice(-20_000);
    });
  const [code] = (await once(nx, 'close')) as [number | null];
  return { code: code ?? 1, end };
}

/**
 * Adds failed checks, one each, to the counts of the tests.
 * @param nx the exit code of Nx, and the end of its output, which lists the failed tasks
 * @returns the closing line and the exit code
 */
export function summarize(counts: Counts, nx: { code: number; end: string }): { line: string; code: number } {
  const list = stripVTControlCharacters(nx.end).split('Failed tasks:')[1] ?? '';
  const checks = [...list.matchAll(/^- (\S+)/gm)].filter(([, task]) => !/:(unit|test)$/.test(task!));
  let failed = counts.failed + checks.length;
  // For example wrong arguments, or a failure before any task.
  if (nx.code !== 0 && failed === 0) failed = 1;
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  return { line: `${counts.passed} passed, ${failed} failed${skipped}`, code: failed > 0 ? 1 : 0 };
}

/** Adds up the reports of the tests, those from the cache included. */
function countReports(): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const path of globSync('**/*.json', { cwd: REPORTS })) {
    const counts = JSON.parse(readFileSync(join(REPORTS, path), 'utf8')) as Counts;
    for (const kind of ['passed', 'failed', 'skipped'] as const) total[kind] += counts[kind];
  }
  return total;
}

async function main([mode, ...args]: readonly string[]): Promise<void> {
  if (args.includes('--help')) return void process.stdout.write(HELP);
  rmSync(REPORTS, { recursive: true, force: true });
  const [command, more] = args.includes('--affected')
    ? ['affected', args.filter((arg) => arg !== '--affected')]
    : ['run-many', args];
  const targets = TARGETS[mode === 'check' ? 'check' : 'test'];
  const style = mode === 'check' ? 'static' : 'stream';
  if (mode !== 'check') {
    const { chooseTestParts } = await import('@kontoport/embedded/containers');
    console.log(await chooseTestParts());
  }
  const nx = await runNx([command, `--outputStyle=${style}`, ...more, '-t', ...targets]);
  const { line, code } = summarize(countReports(), nx);
  console.log(`\n${line}`);
  process.exitCode = code;
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
