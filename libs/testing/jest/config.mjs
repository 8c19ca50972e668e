import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const here = import.meta.dirname;
const root = join(here, '../../..');
/** Tests are beside the sources (`src`) and in `test`; those in `cluster` run by `npm run cluster` alone. */
const folders = process.env.TEST_FOLDERS ?? '{src,test}';

/** One Jest project per workspace folder that holds tests. @type {import('jest').Config} */
export default {
  rootDir: root,
  // Tests beside the sources are pure: they need no PostgreSQL.
  ...(folders === 'src'
    ? {}
    : { globalSetup: join(here, 'setup.ts'), globalTeardown: join(here, 'teardown.ts') }),
  workerIdleMemoryLimit: '768MB',
  // No test is about time: this ends one that hangs, however busy the machine.
  testTimeout: 120_000,
  maxWorkers: 2,
  projects: globSync('{docker,services,libs,scripts}/**/package.json', {
    cwd: root,
    exclude: (name) => ['node_modules', 'dist'].includes(name),
  })
    .map(dirname)
    .map((folder) => ({
      displayName: basename(folder),
      rootDir: join(root, folder),
      testEnvironment: join(here, 'environment.ts'),
      testMatch: [`<rootDir>/${folders}/**/*.test.ts`],
      setupFilesAfterEnv: ['network-guard.ts', 'retry.ts', 'answers.ts'].map((file) => join(here, file)),
      extensionsToTreatAsEsm: ['.ts'],
      transform: { '\\.ts$': join(here, 'strip-types.mjs') },
      modulePathIgnorePatterns: ['/gen/.*package.json', '<rootDir>/dist'],
    })),
};
