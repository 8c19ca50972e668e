// Runs Jest in its ESM mode over all projects; arguments go to Jest (--selectProjects account-information, a file pattern, …).
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { generate } from './generate.ts';

const root = join(import.meta.dirname, '..');
generate();
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    createRequire(import.meta.url).resolve('jest/bin/jest'),
    '--config',
    join(root, 'libs/testing/jest/config.mjs'),
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
