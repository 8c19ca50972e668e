import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { joinedServices, joinServices } from '../src/joined-services.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');

let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** A repository of two services, one of which loads something late, and breaks. */
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kontoport-joined-'));
  write('node_modules/.package-lock.json', '{}');
  mkdirSync(join(root, 'node_modules/@kontoport'));
  symlinkSync(join(REPOSITORY, 'libs/runtime'), join(root, 'node_modules/@kontoport/runtime'));
  write('services/auth/package.json', '{ "type": "module" }');
  write('services/auth/src/main.ts', `import './late-loader.ts';\nconsole.log('auth');\n`);
  write(
    'services/auth/src/late-loader.ts',
    `interface Late {\n  fail(): never;\n}\nconst late: Late = await import('./late.ts');\nlate.fail();\n`,
  );
  write(
    'services/auth/src/late.ts',
    `export type Nothing = undefined;\n\nexport function fail(): never {\n  throw new Error('on purpose');\n}\n`,
  );
  write('services/payments/src/main.ts', `console.log('payments', typeof process.env.NODE_COMPILE_CACHE);\n`);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs a service as `npm start` does. */
async function run(service: string): Promise<{ stdout: string; stderr: string }> {
  const { args, env } = (await joinedServices({ root, env: {} }))!(service);
  return promisify(execFile)(process.execPath, args, { cwd: root, env }).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
}

describe('services that npm start joins', () => {
  it('are all of the repository, which load few files and no package but two', async () => {
    const folder = await joinServices(REPOSITORY);
    for (const service of readdirSync(join(REPOSITORY, 'services'))) {
      const text = readFileSync(join(folder, `${service}.mjs`), 'utf8');
      const imported = [...text.matchAll(/^(?:import|\} from) ?.*["']([^"']+)["'];$/gm)].map(
        ([, name]) => name!,
      );
      expect(imported.length).toBeGreaterThan(0);
      expect(imported.filter((name) => !name.startsWith('./') && !isBuiltin(name))).toEqual([]);
    }
    expect(readdirSync(folder).filter((name) => name.endsWith('.mjs')).length).toBeLessThan(80);
  });

  it('run, and keep what Node makes of them beside them', async () => {
    expect(await run('payments')).toEqual({ stdout: 'payments string\n', stderr: '' });
    expect(readdirSync(await joinServices(root))).toContain('compiled');
  });

  it('name their sources where they break, also in what is loaded late', async () => {
    const { stderr } = await run('auth');
    expect(stderr).toContain(
      `Error: on purpose\n    at Module.fail (${root}/services/auth/src/late.ts:4:9)\n`,
    );
    expect(stderr).toContain(`at ${root}/services/auth/src/late-loader.ts:5:6\n`);
  });

  it('leave the place of a package as it is, which has no map', async () => {
    write(
      'node_modules/helper/package.json',
      '{ "name": "helper", "type": "module", "exports": "./index.js" }',
    );
    write(
      'node_modules/helper/index.js',
      `// one\n// two\nexport function help() {\n  throw new Error('helpless');\n}\n`,
    );
    write('services/auth/src/main.ts', `import { help } from 'helper';\n\nhelp();\n`);
    const { stderr } = await run('auth');
    expect(stderr).toMatch(
      /Error: helpless\n {4}at help \(file:\S*\/joined-services\/\w+\/auth\.mjs:\d+:\d+\)\n/,
    );
    expect(stderr).toContain(`at ${root}/services/auth/src/main.ts:3:1\n`);
  });

  it.each([
    ['a source', 'services/auth/src/late.ts'],
    ['a source of a lib', 'libs/http/src/new.ts'],
    ['what is generated', 'proto/gen/new.ts'],
    ['the document of an interface', 'proto/openapi/new.json'],
    ['where the documents are', 'proto/package.json'],
    ['where a lib has its files', 'libs/http/package.json'],
    ['what is installed', 'node_modules/.package-lock.json'],
  ])('are made once, and anew when %s changes', async (_, path) => {
    const first = await joinServices(root);
    expect(await joinServices(root)).toBe(first);
    write(path, '// changed');
    expect(await joinServices(root)).not.toBe(first);
    // A stack may run on it, and has yet to load what is loaded late.
    expect(existsSync(join(first, 'auth.mjs'))).toBe(true);
  });

  it('stay for ten changes, those that were used last', async () => {
    const made: string[] = [];
    const make = async (change: number): Promise<void> => {
      write('services/payments/src/main.ts', `console.log(${change});`);
      made.push(await joinServices(root));
    };
    for (let change = 0; change < 10; change++) {
      await make(change);
      // As if each had been made a day after the one before.
      const day = new Date(Date.UTC(2026, 0, change + 1));
      utimesSync(made.at(-1)!, day, day);
    }
    await make(0);
    await make(10);
    expect(made.filter((folder) => !existsSync(folder))).toEqual([made[1]]);
    expect(made[10]).toBe(made[0]);
    expect(readdirSync(dirname(made[0]!))).toHaveLength(10);
    expect(new Set(made.map((folder) => basename(folder))).size).toBe(11);
  });

  it.each(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])(
    'stay sources where %s has them traced',
    async (name) => {
      expect(await joinedServices({ root, env: { [name]: 'http://127.0.0.1:4318' } })).toBeUndefined();
    },
  );

  it('stay sources where nothing can be written', async () => {
    write('node_modules/.cache', '');
    expect(await joinedServices({ root, env: {} })).toBeUndefined();
  });

  it('stay sources, which say it themselves, where one cannot be read; nothing half made is left', async () => {
    write('services/auth/src/late.ts', 'export const = 1;');
    expect(await joinedServices({ root, env: {} })).toBeUndefined();
    expect(readdirSync(join(root, 'node_modules/.cache/joined-services'))).toEqual([]);
  });
});
