import { spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { PROGRAMS as NAMED_PROGRAMS, SERVICES as NAMED_SERVICES } from '../../../.oxlint.config.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs the linter on files planted in a tree of their own. @returns the rules that each of them breaks */
function lint(files: Readonly<Record<string, string>>): Record<string, string[]> {
  const tree = mkdtempSync(join(tmpdir(), 'kontoport-boundaries-'));
  try {
    copyFileSync(join(ROOT, '.oxlint.config.ts'), join(tree, '.oxlint.config.ts'));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), text);
    }
    const { stdout } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/oxlint/bin/oxlint'), '-c', '.oxlint.config.ts', '--format', 'json', '.'],
      { cwd: tree, encoding: 'utf8' },
    );
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
    return Object.fromEntries(
      Object.keys(files).map((file) => [
        file,
        diagnostics.filter(({ filename }) => filename === file).map(({ code }) => code),
      ]),
    );
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** Imports planted in one file each: `a.<suffix>` numbered, so that one run judges all. */
function judgeImports(cases: readonly (readonly [file: string, from: string])[]): boolean[] {
  const planted = cases.map(([file, from], at): [string, string] => [
    file.replace('/a.', `/a${at}.`),
    `import { x } from '${from}';\n\nexport const y = x;\n`,
  ]);
  const broken = lint(Object.fromEntries(planted));
  return planted.map(([file]) => broken[file]!.includes('eslint(no-restricted-imports)'));
}

const SERVICES = [
  ['services/payments/src/a.ts', '../../auth/src/app.ts'],
  ['services/payments/src/drafts/a.model.ts', '../../../auth/src/drafts/x.model.ts'],
  ['services/payments/test/a.test.ts', '../../auth/src/app.ts'],
  ['services/payments/src/a.ts', '@kontoport/auth'],
  ['services/payments/src/a.ts', '@kontoport/testing/wait'],
  ['services/payments/src/a.ts', '@kontoport/openapi/document'],
  ['services/payments/src/a.ts', 'kafkajs'],
  ['services/payments/src/a.ts', '@kontoport/edge'],
  ['services/payments/src/a.ts', '@kontoport/repo/generate'],
] as const;

const LAYERS = [
  ['services/payments/src/drafts/a.model.ts', './draft.repository.ts'],
  ['services/payments/src/drafts/a.model.ts', './draft.wire.ts'],
  ['services/payments/src/drafts/a.model.ts', '../baskets/approve-basket.ts'],
  ['services/payments/src/drafts/a.model.ts', '@kontoport/http'],
  ['services/payments/src/drafts/a.model.ts', 'node:fs'],
  ['services/payments/src/drafts/a.repository.ts', './draft.wire.ts'],
  ['services/payments/src/drafts/a.repository.ts', './update-draft.ts'],
  ['services/payments/src/drafts/a.repository.ts', '@kontoport/http'],
  ['services/payments/src/drafts/a-draft.ts', './draft.wire.ts'],
  ['services/payments/src/bank/sandbox/a-draft.ts', '../../drafts/draft.wire.ts'],
  ['services/payments/src/drafts/a.wire.ts', './draft.repository.ts'],
  ['services/payments/src/drafts/a.wire.ts', './update-draft.ts'],
  ['services/payments/src/drafts/a.wire.ts', '../store/payment-store.ts'],
  ['services/payments/src/drafts/a.wire.ts', '@kontoport/database'],
  ['services/payments/src/domain/a.ts', '../drafts/update-draft.ts'],
  ['services/payments/src/domain/ports/a.ts', '../../drafts/update-draft.ts'],
  ['services/payments/src/domain/a.model.ts', '../drafts/draft.model.ts'],
  ['services/payments/src/domain/a.model.ts', './ports/payment-store.ts'],
] as const;

const LIBS = [
  ['libs/money/src/a.ts', '@kontoport/payments'],
  ['libs/money/src/a.ts', '../../../services/payments/src/app.ts'],
  ['libs/money/src/a.ts', '../../errors/src/index.ts'],
  ['libs/money/src/a.ts', '@kontoport/testing/wait'],
  ['libs/events/src/a.ts', 'kafkajs'],
  ['libs/money/src/a.ts', '@kontoport/qwac'],
] as const;

const PROGRAMS = [
  ['scripts/programs/tour/src/a.ts', '@kontoport/qwac'],
  ['scripts/programs/tour/src/a.ts', '../../qwac/src/inspect.ts'],
  ['scripts/dev/local/test/a.test.ts', '../../../programs/tour/src/tpp-client.ts'],
  ['scripts/dev/local/src/a.ts', '@kontoport/payments'],
  ['scripts/dev/local/src/a.ts', '@kontoport/testing/wait'],
  ['scripts/bench/src/a.ts', '../../dev/local/src/stack.ts'],
  ['scripts/repo/a.ts', '@kontoport/testing/postgres'],
  ['scripts/repo/a.ts', '../programs/qwac/src/inspect.ts'],
] as const;

const ALLOWED = [
  ['services/payments/src/drafts/a-draft.ts', '../store/payment-store.ts'],
  ['services/payments/src/drafts/a-draft.ts', './draft.repository.ts'],
  ['services/payments/src/drafts/a.routes.ts', './draft.wire.ts'],
  ['services/payments/src/drafts/a.model.ts', '../texts.ts'],
  ['services/payments/src/drafts/a.model.ts', '@kontoport/money'],
  ['services/payments/src/drafts/a.model.ts', 'node:crypto'],
  ['services/payments/src/drafts/a.repository.ts', '../gen/prisma/client.ts'],
  ['services/payments/src/drafts/a.wire.ts', '@kontoport/http'],
  ['services/payments/src/drafts/a.wire.ts', '../texts.ts'],
  ['services/payments/src/drafts/a.wire.ts', '../domain/payment-types/payment-type.model.ts'],
  ['services/payments/src/domain/ports/a.ts', '../draft.model.ts'],
  ['services/payments/src/domain/a.model.ts', './payment-types/payment-type.model.ts'],
  ['services/payments/src/app.ts', './drafts/drafts.routes.ts'],
  ['services/payments/test/a.test.ts', '../src/drafts/draft.model.ts'],
  ['services/payments/test/a.test.ts', '@kontoport/testing/wait'],
  ['services/payments/src/a.ts', '@kontoport/money'],
  ['libs/http/src/a.ts', '@kontoport/errors'],
  ['libs/http/src/deep/a.ts', '../body.ts'],
  ['libs/http/test/a.test.ts', '@kontoport/testing/fake-peers'],
  ['libs/events/src/kafkajs/a.ts', 'kafkajs'],
  ['scripts/dev/local/src/a.ts', '@kontoport/repo/generate'],
  ['scripts/bench/src/a.ts', '../../../services/payments/src/app.ts'],
  ['scripts/bench/src/a.ts', '@kontoport/testing/fake-peers'],
] as const;

const NAMED = { SERVICES, LAYERS, LIBS, PROGRAMS } as const;

describe('the lint step keeps the boundaries', () => {
  it.each([
    ['services/*', NAMED_SERVICES],
    ['scripts/{programs/*,dev/*,bench,charts}', NAMED_PROGRAMS],
  ])('of every workspace in %s', (folders, named) => {
    const there = globSync(`${folders}/package.json`, { cwd: ROOT }).map((file) => basename(dirname(file)));
    expect(there.toSorted()).toEqual(named.toSorted());
  });

  it.each(Object.entries(NAMED))('refuses every planted import: %s', (_, cases) => {
    const refused = judgeImports(cases);
    expect(cases.filter((_case, at) => !refused[at])).toEqual([]);
  });

  it.each([
    [
      "import { randomBytes } from 'node:crypto';\n\nexport const y = randomBytes;\n",
      'no-restricted-imports',
    ],
    ['export const y = setTimeout;\n', 'no-restricted-globals'],
    ['export const y = process.env;\n', 'no-restricted-globals'],
  ])('refuses chance, timers and surroundings in a model: %j', (text, rule) => {
    const [model, story] = [
      'services/payments/src/drafts/a.model.ts',
      'services/payments/src/drafts/a-draft.ts',
    ];
    const broken = lint({ [model]: text, [story]: text });
    expect([broken[model], broken[story]]).toEqual([[`eslint(${rule})`], []]);
  });

  it('allows what is meant to be imported', () => {
    const refused = judgeImports(ALLOWED);
    expect(ALLOWED.filter((_case, at) => refused[at])).toEqual([]);
  });

  it('finds an import cycle, of types alone too', () => {
    const pair = (name: string, other: string): [string, string] => [
      `${name}.ts`,
      `import type { ${other} } from './${other}.ts';\n\nexport type ${name} = ${other}[];\n`,
    ];
    const broken = lint(Object.fromEntries([pair('a', 'b'), pair('b', 'a')]));
    expect(broken['a.ts']).toContain('import(no-cycle)');
  });

  it('has no cycle of imports between the folders of payments, types included', () => {
    const source = join(ROOT, 'services/payments/src');
    const imported = new Map<string, Set<string>>();
    const isSource = (file: string): boolean => !file.endsWith('.test.ts');
    for (const file of globSync('*/**/*.ts', { cwd: source }).filter(isSource)) {
      const [folder] = file.split('/') as [string];
      const own = imported.get(folder) ?? new Set();
      imported.set(folder, own);
      const text = readFileSync(join(source, file), 'utf8');
      for (const [, from] of text.matchAll(/ from '(\.[^']+)'/g)) {
        const [other] = relative(source, join(source, dirname(file), from!)).split('/') as [string];
        if (other !== folder) own.add(other);
      }
    }
    const isGround = (folder: string): boolean =>
      [...imported.get(folder)!].every((other) => !imported.has(other));
    for (let ground = ['']; ground.length > 0;) {
      ground = [...imported.keys()].filter(isGround);
      for (const folder of ground) imported.delete(folder);
    }
    expect([...imported.keys()]).toEqual([]);
  });

  it('finds names out of order in an import', () => {
    const broken = lint({
      'sorted.ts': `import { a, type B, c } from './x.ts';\n\nexport const y: B = a + c;\n`,
      'unsorted.ts': `import { c, a } from './x.ts';\n\nexport const y = a + c;\n`,
    });
    expect(broken).toEqual({ 'sorted.ts': [], 'unsorted.ts': ['eslint(sort-imports)'] });
  });

  it('finds a function of more than 80 lines, blank ones and comments not counted; a describe may be longer', () => {
    const statements = (count: number): string => `  let x = 0;\n${'  x += 1;\n'.repeat(count)}  return x;\n`;
    const within = `${'  // why\n\n'.repeat(20)}${statements(76)}`;
    const broken = lint({
      'short.ts': `export function f() {\n${within}}\n`,
      'long.ts': `export function f() {\n${statements(77)}}\n`,
      'long.test.ts': `describe('x', () => {\n  it('is', () => {\n    expect(1).toBe(1);\n  });\n${'  void 0;\n'.repeat(90)}});\n`,
    });
    expect(broken['short.ts']).toEqual([]);
    expect(broken['long.ts']).toEqual(['eslint(max-lines-per-function)']);
    expect(broken['long.test.ts']).not.toContain('eslint(max-lines-per-function)');
  });
});
