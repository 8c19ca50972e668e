// Runs Jest in its ESM mode; arguments go to Jest: --selectProjects account-information --testPathPatterns cursor
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { generate } from './generate.ts';

const root = join(import.meta.dirname, '..');

/** Runs Jest over all projects, or those that the arguments select; returns its exit code. */
export async function runJest(args: readonly string[]): Promise<number> {
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
    { cwd: root, stdio: 'inherit' },
  );
  const [code] = (await once(jest, 'exit')) as [number | null];
  return code ?? 1;
}

if (process.argv[1] === import.meta.filename) {
  generate();
  process.exitCode = await runJest(process.argv.slice(2));
}
