import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { dependencyFaults, packageOf } from '../check-dependencies.ts';

let tree: string;

function plant(files: Readonly<Record<string, string | object>>): void {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'kontoport-dependencies-'));
  plant({ 'package.json': { name: 'root', devDependencies: { jest: '1' } } });
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

describe('what a workspace declares', () => {
  it('holds in this repository', () => {
    expect(dependencyFaults(join(import.meta.dirname, '../../..'))).toEqual([]);
  });

  it('is refused when it is not what it imports, in whatever way', () => {
    plant({
      'libs/a/package.json': {
        name: '@x/a',
        dependencies: { unused: '1', tested: '1', pg: '1', resolved: '1', required: '1', lazy: '1' },
        devDependencies: { idle: '1', running: '1' },
      },
      'libs/a/src/a.ts': `
import type { Pool } from 'pg';
export { x } from '@y/missing/deep';
import 'side-effect';
import {
  one,
  two,
} from 'running';
require('required');
createRequire(import.meta.url).resolve('resolved/bin');
const { z } = await import('lazy');
import { readFileSync } from 'node:fs';
import { own } from '@x/a';
resolve('a word');
`,
      'libs/a/src/a.test.ts': `
import { t } from 'tested';
const planted = \`
import { p } from 'planted';
\`;
`,
      'libs/a/test/b.ts': `import { u } from 'undeclared';`,
    });
    expect(dependencyFaults(tree)).toEqual([
      'libs/a imports @y/missing, which is not among its dependencies',
      'libs/a imports side-effect, which is not among its dependencies',
      'libs/a imports running, which is not among its dependencies',
      'libs/a imports undeclared in tests, and does not declare it',
      'libs/a declares unused and never imports it',
      'libs/a imports tested in tests alone: it belongs to devDependencies',
      'libs/a declares idle for tests and never imports it',
    ]);
  });

  it('is its own affair: a workspace within another is not part of it; chores may run the tools of the root', () => {
    plant({
      'scripts/repo/package.json': { name: '@x/repo' },
      'scripts/repo/run.ts': `createRequire(import.meta.url).resolve('jest/bin/jest');`,
      'scripts/repo/tool/package.json': { name: '@x/tool', dependencies: { pg: '1' } },
      'scripts/repo/tool/src/main.ts': `import pg from 'pg';
import { jest } from 'jest';`,
    });
    expect(dependencyFaults(tree)).toEqual([
      'scripts/repo/tool imports jest, which is not among its dependencies',
    ]);
  });

  it.each([
    ['@kontoport/http/refusing', '@kontoport/http'],
    ['pg', 'pg'],
    ['jest/bin/jest', 'jest'],
    ['./a.ts', undefined],
    ['node:fs', undefined],
    ['fs', undefined],
  ])('%s is of the package %s', (specifier, name) => {
    expect(packageOf(specifier)).toBe(name);
  });
});
