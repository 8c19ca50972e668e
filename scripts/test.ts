// npm test: types, lint, index, OpenAPI documents and their changes, format, then every test. The last line counts the tests; a failed check counts as one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { generate } from './generate.ts';
import { type Counts, NOTHING, runTests } from './run-tests.ts';

const root = join(import.meta.dirname, '..');

const HELP = `usage: npm test [-- <Jest arguments>]

Checks in turn: generated code, types, lint (with the boundaries), the protobuf contracts, contract and index,
the OpenAPI documents, what changed in them and in the protobuf contracts since main, format, and all tests.
Arguments go to Jest:
  --selectProjects <folder>…     only the tests of these services and libs
  --testPathPatterns <pattern>   only files whose path matches
  --testNamePattern <pattern>    only tests whose name matches

PostgreSQL and a Kafka-protocol broker come with npm. DATABASE_URL or TEST_DATABASE_URL names another PostgreSQL.
A real Apache Kafka is taken from KAFKA_BROKERS, else started by Java 17 with Maven; where there is none, its tests
are counted as skipped, or as failed when CI is set. So it is with the images, which take a container engine.
With TEST_CONTAINERS=true PostgreSQL and Apache Kafka run in containers of POSTGRES_IMAGE and KAFKA_IMAGE.
Tests alone, without the other checks: node scripts/jest.ts
In a whole run, up to three test files that fail are run once more by themselves; what held only then is named.
The last line is "N passed, N failed" or "N passed, N failed, N skipped"; the exit code is 0 when nothing failed.
`;

async function run(command: string, ...args: string[]): Promise<Counts> {
  const child = spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: [join(root, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter),
    },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return { ...NOTHING, failed: code === 0 ? 0 : 1 };
}

const steps: { name: string; work: (args: readonly string[]) => Promise<Counts> }[] = [
  {
    name: 'generated code',
    work: async () => {
      generate();
      return NOTHING;
    },
  },
  // All workspaces at once: each by itself would read and check what they share again, in six times the time.
  { name: 'types', work: () => run('tsc', '-p', 'tsconfig.json') },
  { name: 'lint', work: () => run('oxlint', '--type-aware', '-c', '.oxlint.config.ts', '.') },
  { name: 'protobuf contracts', work: () => run('nx', 'run', '@kontoport/proto:lint') },
  { name: 'dependencies', work: () => run('node', 'scripts/check-dependencies.ts') },
  { name: 'lock file', work: () => run('node', 'scripts/check-lock.ts') },
  {
    name: 'contract and index',
    work: () => run('node', '--disable-warning=ExperimentalWarning', 'scripts/index-docs.ts', '--check'),
  },
  { name: 'values of the chart', work: () => run('node', 'scripts/charts/src/main.ts', '--check') },
  { name: 'OpenAPI documents', work: () => run('node', 'scripts/openapi.ts', '--check') },
  { name: 'changes that break callers', work: () => run('node', 'scripts/breaking.ts') },
  { name: 'format', work: () => run('oxfmt', '--check', '.') },
  { name: 'tests', work: runTests },
];

async function check(args: readonly string[]): Promise<Counts> {
  const total = { ...NOTHING };
  for (const [at, { name, work }] of steps.entries()) {
    const title = `${at + 1}/${steps.length} ${name}`;
    console.log(`\n── ${title}`);
    const started = performance.now();
    const counts = await work(args).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      return { ...NOTHING, failed: 1 };
    });
    for (const kind of ['passed', 'failed', 'skipped'] as const) total[kind] += counts[kind];
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    console.log(`── ${title}: ${counts.failed === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  }
  return total;
}

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(HELP);
} else {
  const { passed, failed, skipped } = await check(args);
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed > 0 ? 1 : 0;
}
