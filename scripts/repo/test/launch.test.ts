import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Makes a Node that is new believe that it is old. */
const OLD = [
  '--import',
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.0"}})',
];
const PROGRAM = `console.log(JSON.stringify({
  args: process.argv.slice(1).map((word) => word.split('/').at(-1)),
  node: process.versions.node,
  cache: process.env.NODE_COMPILE_CACHE,
}));
process.exitCode = 3;`;

let root: string;
const write = (file: string, content: string): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
};

/** A repository with packages and generated code. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kontoport launch ü-'));
  mkdirSync(join(root, 'scripts/repo'), { recursive: true });
  copyFileSync(join(import.meta.dirname, '../launch.mjs'), join(root, 'scripts/repo/launch.mjs'));
  write('scripts/repo/program.ts', `const typed: string = '';\n${PROGRAM}`);
  write(
    'scripts/repo/generate.ts',
    'export function generate(): void {\n  throw new Error("proto was not generated: why");\n}',
  );
  write('package.json', '{"type":"module"}');
  write('services/a/prisma/schema.prisma', '');
  write('services/b/main.ts', '');
  for (const made of ['proto/gen', 'services/a/src/gen']) write(`${made}/.inputs`, '');
  write('node_modules/.package-lock.json', '{}');
  mkdirSync(join(root, 'node_modules'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function start(node: readonly string[], ...args: string[]) {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  return spawn(process.execPath, [...node, join(root, 'scripts/repo/launch.mjs'), ...args], { env });
}

async function launch(node: readonly string[] = [], ...more: string[]) {
  const child = start(node, 'program.ts', ...more);
  const [[status], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout!),
    text(child.stderr!),
  ]);
  return { status, stdout, stderr };
}

describe('the launcher (ADR-0044)', () => {
  it('runs a program as it would run itself, with what Node compiled kept beside the packages', async () => {
    const { status, stdout, stderr } = await launch([], '--a', 'b c');
    expect({ status, stderr, said: JSON.parse(stdout) }).toEqual({
      status: 3,
      stderr: '',
      said: {
        args: ['program.ts', '--a', 'b c'],
        node: process.versions.node,
        cache: join(root, 'node_modules/.cache/node-compile'),
      },
    });
    expect(existsSync(join(root, 'node_modules/.cache/node-compile'))).toBe(true);
  });

  it('goes without a cache where none can be kept', async () => {
    write('node_modules/.cache', 'a file');
    const { status, stdout } = await launch();
    expect({ status, said: JSON.parse(stdout) }).toEqual({
      status: 3,
      said: { args: ['program.ts'], node: process.versions.node },
    });
  });

  it.each([
    [
      'packages that are not installed',
      () => rmSync(join(root, 'node_modules/.package-lock.json')),
      [],
      /^kontoport: the packages are not installed: run npm ci first, in .*\.\n$/,
    ],
    [
      'an old Node',
      () => {},
      OLD,
      /^kontoport: Node 24\.12 or newer is needed, this is 20\.19\.0: .*npx.*npm rebuild node .*\.\n$/,
    ],
    [
      'a package that is missing',
      () => write('scripts/repo/program.ts', "import '@kontoport/none';"),
      [],
      /^kontoport: Cannot find package '@kontoport\/none': run npm ci again\.\n$/,
    ],
    [
      'code that is missing and cannot be generated',
      () => rmSync(join(root, 'services/a/src/gen/.inputs')),
      [],
      /^kontoport: proto was not generated: why\.\n$/,
    ],
  ])('says in one line what to do about %s', async (_, spoil, node, line) => {
    spoil();
    const { status, stdout, stderr } = await launch(node);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(line);
  });

  it('generates what is missing, and only then', async () => {
    write(
      'scripts/repo/generate.ts',
      "import { writeFileSync } from 'node:fs';\nexport const generate = (): void => writeFileSync(new URL('../../generated', import.meta.url), '');",
    );
    const generated = (): boolean => existsSync(join(root, 'generated'));
    expect((await launch()).status).toBe(3);
    expect(generated()).toBe(false);
    rmSync(join(root, 'proto/gen'), { recursive: true });
    expect((await launch()).status).toBe(3);
    expect(generated()).toBe(true);
  });

  it('leaves the faults of a program to it', async () => {
    write('scripts/repo/program.ts', "throw new Error('mine');");
    const { status, stderr } = await launch();
    expect(status).toBe(1);
    expect(stderr).toMatch(/program\.ts:1[^]*Error: mine/);
  });
});
