import { execFile } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { JOINED, joinedArguments, joinPackages } from '../src/joined-packages.ts';

const ROOT = join(import.meta.dirname, '../../..');
const INSTALLED = 'node_modules/.package-lock.json';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'kontoport-joined-'));
  mkdirSync(join(root, 'node_modules'));
  copyFileSync(join(ROOT, INSTALLED), join(root, INSTALLED));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What a process sees under the names of the packages: where each comes from, and what it exports. */
async function seen(args: readonly string[]) {
  const script = `const names = ${JSON.stringify(JOINED)};
    const all = await Promise.all(names.map(async (name) => [name, import.meta.resolve(name), Object.keys(await import(name))]));
    console.log(JSON.stringify(all));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...args, '--input-type=module', '-e', script],
    {
      cwd: join(ROOT, 'scripts/local'),
    },
  );
  return (JSON.parse(stdout) as [string, string, string[]][]).map(([name, from, exported]) => ({
    name,
    joined: from.includes('/joined-packages/'),
    exported: exported.filter((key) => key !== 'module.exports'),
  }));
}

describe('packages that npm start joins', () => {
  it('export what they export as files, each out of one file', async () => {
    const joined = await seen(await joinedArguments({ root: ROOT, env: {} }));
    expect(joined).toEqual((await seen([])).map((files) => ({ ...files, joined: true })));
    expect(joined.map(({ name }) => name)).toEqual([...JOINED]);
    for (const { exported } of joined) expect(exported.length).toBeGreaterThan(1);
  });

  it('are the same that packages require', async () => {
    const script = `import { createRequire } from 'node:module';
      import { Pool } from 'pg';
      console.log(createRequire(import.meta.url)('pg').Pool === Pool);`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...(await joinedArguments({ root: ROOT, env: {} })), '--input-type=module', '-e', script],
      { cwd: join(ROOT, 'scripts/local') },
    );
    expect(stdout).toBe('true\n');
  });

  it('are imported by no other name, which would load them a second time', () => {
    const packages = JOINED.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]);
    const names = globSync('{services,libs}/*/src/**/*.ts', { cwd: ROOT })
      .concat(globSync('proto/gen/**/*.ts', { cwd: ROOT }))
      .flatMap((file) => [
        ...readFileSync(join(ROOT, file), 'utf8').matchAll(
          /(?:^import (?!type\b)[^;]*?from |import\(|require\()["']([^"']+)["']/gm,
        ),
      ])
      .map(([, name]) => name!)
      .filter((name) => packages.some((own) => name === own || name.startsWith(`${own}/`)));
    expect([...new Set(names)].toSorted()).toEqual([...JOINED]);
  });

  it.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])(
    'stay files where %s has them traced',
    async (name) => {
      expect(await joinedArguments({ root: ROOT, env: { [name]: 'http://127.0.0.1:4318' } })).toEqual([]);
    },
  );

  it('stay files where nothing can be written', async () => {
    writeFileSync(join(root, 'node_modules/.cache'), '');
    expect(await joinedArguments({ root, env: {} })).toEqual([]);
    rmSync(join(root, 'node_modules/.cache'));
  });

  it('are made once for what is installed, and go when that is other packages', async () => {
    const first = await joinPackages(root);
    expect(await joinPackages(root)).toBe(first);
    appendFileSync(join(root, INSTALLED), '\n');
    const second = await joinPackages(root);
    expect({ first: existsSync(first), second: readdirSync(second).includes('zod.mjs') }).toEqual({
      first: false,
      second: true,
    });
    expect(readdirSync(dirname(second))).toEqual([basename(second)]);
  });
});
