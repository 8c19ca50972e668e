import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const SCHEMA = 'services/auth/prisma/schema.prisma';
const MADE = ['proto/gen/.inputs', 'services/auth/src/gen/.inputs'];

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'kontoport generate ü-'));
  for (const file of ['package.json', 'package-lock.json', 'scripts/repo/generate.ts', SCHEMA]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(root, file));
  }
  const generated = join(ROOT, 'proto/gen');
  cpSync(join(ROOT, 'proto'), join(root, 'proto'), { recursive: true, filter: (file) => file !== generated });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
});
beforeEach(() => {
  for (const file of MADE) rmSync(join(root, dirname(file)), { recursive: true, force: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('generated code', () => {
  // Not even the owner of the machine can make a folder under a file.
  it.each<[string, string | undefined]>([
    ['no home folder', undefined],
    ['a home folder that cannot be written', '/dev/null/home'],
  ])('is made where there is %s', (_what, home) => {
    const { HOME: _home, XDG_CACHE_HOME: _cache, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(root, 'scripts/repo/generate.ts')],
      { env: { ...env, ...(home === undefined ? {} : { HOME: home }) }, encoding: 'utf8' },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: '',
      stderr: `generated proto\ngenerated ${SCHEMA}\n`,
    });
    expect(MADE.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});
