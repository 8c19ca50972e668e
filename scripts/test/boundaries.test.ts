import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
let tree: string;

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'kontoport-boundaries-'));
  copyFileSync(join(root, '.oxlintrc.json'), join(tree, '.oxlintrc.json'));
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

/** What the lint step says of one file with one import. */
function lint(file: string, from: string): string {
  const path = join(tree, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import { x } from '${from}';\n\nexport const y = x;\n`);
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-c', '.oxlintrc.json', '.'], {
    cwd: tree,
    encoding: 'utf8',
  });
  return stdout;
}

describe('the lint step keeps the boundaries', () => {
  it.each([
    ['services/payments/src/a.ts', '../../auth/src/app.ts'],
    ['services/payments/src/drafts/a.ts', '../../../auth/src/app.ts'],
    ['services/payments/test/a.test.ts', '../../auth/src/app.ts'],
    ['services/payments/src/a.ts', '@kontoport/auth'],
    ['services/payments/src/a.ts', '@kontoport/account-information/src/app.ts'],
    ['libs/money/src/a.ts', '@kontoport/payments'],
    ['libs/money/src/a.ts', '../../../services/payments/src/app.ts'],
    ['libs/money/src/a.ts', '../../errors/src/index.ts'],
    ['libs/events/src/kafkajs/a.ts', '../../../http/src/index.ts'],
    ['libs/events/src/producer.ts', 'kafkajs'],
    ['libs/testing/src/a.ts', 'kafkajs/src/index.js'],
    ['services/payments/src/a.ts', 'kafkajs'],
  ])('%s may not import %s', (file, from) => {
    expect(lint(file, from)).toContain('no-restricted-imports');
  });

  it.each([
    ['services/payments/src/drafts/a.ts', '../store/payment-store.ts'],
    ['services/payments/test/a.test.ts', '../src/drafts/draft.model.ts'],
    ['services/payments/src/a.ts', '@kontoport/money'],
    ['libs/http/src/a.ts', '@kontoport/errors'],
    ['libs/events/src/kafkajs/a.ts', 'kafkajs'],
  ])('%s may import %s', (file, from) => {
    expect(lint(file, from)).not.toContain('no-restricted-imports');
  });

  it('finds an import cycle', () => {
    const write = (name: string, other: string): void => {
      writeFileSync(
        join(tree, name),
        `import { ${other} } from './${other}.ts';\n\nexport const ${name.slice(0, 1)} = () => ${other};\n`,
      );
    };
    write('a.ts', 'b');
    write('b.ts', 'a');
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-c', '.oxlintrc.json', '.'], {
      cwd: tree,
      encoding: 'utf8',
    });
    expect(stdout).toContain('no-cycle');
  });
});
