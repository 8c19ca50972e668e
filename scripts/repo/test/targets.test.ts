import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const notNested = { cwd: root, exclude: (name: string) => ['node_modules', 'gen', 'dist'].includes(name) };
const folders = globSync('{docker,proto,services,libs,scripts}/**/package.json', notNested)
  .map(dirname)
  .toSorted();
const files = globSync('{docker,services,libs,scripts}/**/*.test.ts', notNested);

/** The workspace that a file belongs to. */
const ownerOf = (file: string): string => {
  const folder = dirname(file);
  return folders.includes(folder) ? folder : ownerOf(folder);
};

/** The targets of Nx that a workspace needs: one without an entry would be left out in silence. */
function targetsOf(folder: string): string[] {
  const places = files
    .filter((file) => ownerOf(file) === folder)
    .map((file) => file.slice(folder.length + 1).split('/')[0]);
  const generates =
    folder === 'proto' || globSync(`${folder}/prisma/schema.prisma`, { cwd: root }).length > 0;
  return [
    ...(generates ? ['generate'] : []),
    'typecheck',
    'lint',
    ...(places.includes('src') ? ['unit'] : []),
    ...(places.includes('test') ? ['test'] : []),
  ];
}

describe('the targets of Nx', () => {
  it.each(folders)('%s has those that its files need', (folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      name: string;
      nx: { targets: object };
    };
    expect(Object.keys(manifest.nx.targets)).toEqual(targetsOf(folder));
    expect(manifest.name).toBe(`@kontoport/${basename(folder)}`);
  });
});

describe('npm test, npm run check and npm run test:only', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };

  it.each(['test', 'check', 'test:only'])('%s explains itself on every supported Node', (name) => {
    const [command, ...args] = scripts[name]!.split(' ');
    expect([command, args[0]]).toEqual(['node', 'scripts/repo/launch.mjs']);
    const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--help'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, stderr: stderr.replaceAll(/.*ExperimentalWarning.*\n|\(Use .*\n/g, '') }).toEqual({
      status: 0,
      stderr: '',
    });
    const named = [...stdout.matchAll(/npm (?:run )?([a-z:]+)/g)].map(([, script]) => script!);
    expect(named).toContain(name);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  it('refuses a workspace that does not exist', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['scripts/repo/launch.mjs', 'jest.ts', 'nothing'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/there is no workspace nothing: choose among .*auth, /);
  });
});
