import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Makes a new Node report an old version. */
const OLD =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.0"}})';
const PROGRAM = `const typed: string = process.argv.slice(2).join();
console.log(typed);
process.exitCode = 3;`;
const GENERATES = `import { writeFileSync } from 'node:fs';
export const generate = (): void => writeFileSync(new URL('../../generated', import.meta.url), '');`;

let root: string;
const write = (file: string, content: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
};

/** Makes a repository with packages and generated code. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kontoport launch ü-'));
  write('package.json', '{"type":"module"}');
  write('scripts/repo/program.ts', PROGRAM);
  write('scripts/repo/generate.ts', GENERATES);
  copyFileSync(join(import.meta.dirname, '../launch.mjs'), join(root, 'scripts/repo/launch.mjs'));
  write('services/a/prisma/schema.prisma', '');
  for (const made of ['proto/gen', 'services/a/src/gen']) write(`${made}/.inputs`, '');
  write('node_modules/.package-lock.json', '{}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function launch(...node: string[]): { status: number | null; stdout: string; stderr: string } {
  const args = [...node, join(root, 'scripts/repo/launch.mjs'), 'program.ts', '--a', 'b c'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the launcher (ADR-0044)', () => {
  it('runs a program with its arguments and its exit code', () => {
    expect(launch()).toEqual({ status: 3, stdout: '--a,b c\n', stderr: '' });
    expect(existsSync(join(root, 'generated'))).toBe(false);
  });

  it('generates missing code first', () => {
    rmSync(join(root, 'proto/gen'), { recursive: true });
    expect(launch().status).toBe(3);
    expect(existsSync(join(root, 'generated'))).toBe(true);
  });

  it.each<[string, () => void, string[], RegExp]>([
    [
      'packages that are not installed',
      () => rmSync(join(root, 'node_modules/.package-lock.json')),
      [],
      /^kontoport: the packages are not installed: run npm ci first, in .*\.\n$/,
    ],
    [
      'an old Node',
      () => {},
      ['--import', OLD],
      /^kontoport: Node 24\.12 or newer is needed, this is 20\.19\.0: .*npx.*npm rebuild node .*\.\n$/,
    ],
    [
      'code that cannot be generated',
      () => {
        rmSync(join(root, 'proto/gen'), { recursive: true });
        write('scripts/repo/generate.ts', 'export function generate() { throw new Error("no proto"); }');
      },
      [],
      /^kontoport: no proto\.\n$/,
    ],
  ])('prints in one line what to do about %s', (_, spoil, node, line) => {
    spoil();
    const { status, stdout, stderr } = launch(...node);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(line);
  });
});
