import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { announcesBreak, breakingContracts, compare, untoldPayloads } from '../breaking.ts';

const PROTO = 'proto/kontoport/a/v1/a.proto';
const contract = (fields: string): string =>
  `syntax = "proto3";\npackage kontoport.a.v1;\nmessage A {\n${fields}\n}\n`;

let folder: string;
let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const git = (...args: string[]): string => {
  const who = ['-c', 'user.name=x', '-c', 'user.email=x@bank.example', '-c', 'commit.gpgsign=false'];
  const { status, stdout, stderr } = spawnSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kontoport-breaking-'));
  root = join(folder, 'repository');
  write('proto/buf.yaml', readFileSync(join(import.meta.dirname, '../../../proto/buf.yaml'), 'utf8'));
  write(PROTO, contract('  string one = 1;\n  string two = 2;'));
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=one');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a change of the contracts between services that breaks callers (§9)', () => {
  it('is none as long as nothing changes, or something is added', () => {
    expect(breakingContracts(root, { against: 'main' })).toEqual([]);
    write(PROTO, contract('  string one = 1;\n  string two = 2;\n  string three = 3;'));
    write('proto/kontoport/b/v1/b.proto', contract('  string one = 1;').replaceAll('.a.', '.b.'));
    expect(breakingContracts(root, { against: 'main' })).toEqual([]);
  });

  it.each([
    ['a field that is gone', '  string one = 1;', /^proto\/kontoport\/a\/v1\/a\.proto:3:1:.*"2".*deleted/],
    ['a field of another type', '  string one = 1;\n  int64 two = 2;', /:5:\d+:.*changed type/],
  ])('fails on %s, and names file and line', (_name, fields, said) => {
    write(PROTO, contract(fields));
    expect(breakingContracts(root, { against: 'main' })).toEqual([expect.stringMatching(said)]);
  });

  it('is the loss of a whole file', () => {
    rmSync(join(root, PROTO));
    write('proto/kontoport/b/v1/b.proto', contract('  string one = 1;').replaceAll('.a.', '.b.'));
    expect(breakingContracts(root, { against: 'main' })[0]).toMatch(/a\.proto.*deleted/);
  });

  it('does not hide a contract that cannot be read', () => {
    write(PROTO, 'this is no contract');
    expect(breakingContracts(root, { against: 'main' })[0]).toMatch(/a\.proto:1:1:/);
  });

  it('is looked for in what a revision had that knew no contracts', () => {
    git('rm', '-r', '--quiet', '--cached', 'proto');
    git('commit', '--quiet', '--allow-empty', '--message=none');
    expect(breakingContracts(root, { against: 'main' })).toEqual([]);
  });
});

describe('a change of a webhook or an event (§9)', () => {
  const OPENAPI = 'proto/openapi/account-and-payment.json';
  const openapi = (properties: object): string =>
    JSON.stringify({
      info: { version: '0.1.0' },
      paths: {},
      webhooks: {
        'Thing.CreatedV1': {
          post: {
            parameters: [],
            requestBody: { content: { 'application/json': { schema: { type: 'object', properties } } } },
          },
        },
      },
    });
  const asyncapi = (type: string): string => `components:
  messages:
    thing: { name: Thing.ChangedV1, payload: { $ref: '#/components/schemas/thing' } }
  schemas:
    thing: { type: object, properties: { a: { type: ${type} } } }
`;
  const untold = (): string[] => untoldPayloads(root, { against: 'main' });

  beforeEach(() => {
    write(OPENAPI, openapi({ a: { type: 'string' } }));
    write('proto/asyncapi.yaml', asyncapi('string'));
    write('CHANGELOG.md', '- `Thing.CreatedV1` and `Thing.ChangedV1` are there.\n');
    git('add', '--all');
    git('commit', '--quiet', '--message=two');
  });

  it('is told by a new line of the changelog that names its type, each of its own', () => {
    expect(untold()).toEqual([]);
    write(OPENAPI, openapi({ a: { type: 'string' }, b: { type: 'string' } }));
    write('proto/asyncapi.yaml', asyncapi('number'));
    const [webhook, event] = [
      `${OPENAPI}: the webhook Thing.CreatedV1 changed, and no new line of CHANGELOG.md names it`,
      'proto/asyncapi.yaml: the event Thing.ChangedV1 changed, and no new line of CHANGELOG.md names it',
    ];
    expect(untold()).toEqual([webhook, event]);
    expect(compare(root).changes).toEqual([webhook, event]);
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
    write('CHANGELOG.md', `- Things are different.\n${changelog}`);
    expect(untold()).toEqual([webhook, event]);
    write('CHANGELOG.md', `- \`Thing.CreatedV1\` has b.\n${changelog}`);
    expect(untold()).toEqual([event]);
    write('CHANGELOG.md', `- \`Thing.CreatedV1\` has b, \`Thing.ChangedV1\` numbers.\n${changelog}`);
    expect(untold()).toEqual([]);
  });

  it('is told when a document comes or goes, and when the changelog does', () => {
    rmSync(join(root, 'proto/asyncapi.yaml'));
    rmSync(join(root, 'CHANGELOG.md'));
    expect(untold()).toEqual([expect.stringContaining('the event Thing.ChangedV1 changed')]);
    git('add', '--all');
    git('commit', '--quiet', '--message=three');
    write('proto/asyncapi.yaml', asyncapi('string'));
    expect(untold()).toEqual([expect.stringContaining('the event Thing.ChangedV1 changed')]);
    write('CHANGELOG.md', '- `Thing.ChangedV1` is there.\n');
    expect(untold()).toEqual([]);
  });
});

describe('what the changes are compared with', () => {
  const cloneOf = (...args: string[]): string => {
    const to = join(folder, 'clone');
    git('clone', '--quiet', ...args, pathToFileURL(root).href, to);
    return to;
  };

  it('is said, by name and commit', () => {
    const commit = git('rev-parse', '--short', 'HEAD');
    expect(compare(root).said).toContain(`Compared with main (${commit}).`);
    expect(compare(cloneOf()).said).toContain(`Compared with origin/main (${commit}).`);
    expect(compare(root, commit).said).toContain(`Compared with ${commit} (${commit}).`);
  });

  it('is at hand in a shallow clone of main', () => {
    const clone = cloneOf('--depth=1');
    writeFileSync(join(clone, PROTO), contract('  string one = 1;'));
    expect(compare(clone).changes).toEqual([expect.stringMatching(/a\.proto/)]);
  });

  it('is nothing, without a fault, in a clone of another branch alone and without a repository', () => {
    git('checkout', '--quiet', '-b', 'feature');
    const nothing = {
      said: 'Compared with nothing: neither origin/main nor main is at hand (a shallow clone, or no repository).',
      changes: [],
    };
    expect(compare(cloneOf('--depth=1', '--branch=feature'))).toEqual(nothing);
    rmSync(join(root, '.git'), { recursive: true });
    expect(compare(root)).toEqual(nothing);
  });
});

describe('a version announces a break (§9)', () => {
  it.each([
    ['0.3.0', '0.3.0', false],
    ['0.3.0', '0.3.1', false],
    ['0.3.0', '0.4.0', true],
    ['0.3.0', '1.0.0', true],
    ['0.3.0', '0.2.0', false],
    ['1.2.3', '1.3.0', false],
    ['1.2.3', '2.0.0', true],
    ['0.0.1', '0.0.2', true],
    ['2.0.0', '1.9.9', false],
  ])('%s → %s: %s', (old, now, announced) => {
    expect(announcesBreak(old, now)).toBe(announced);
  });
});
