import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { indexDocs } from '../index-docs.ts';
import { citationsOf, titlesOf } from '../index/citations.ts';

const CONTRACT = `# The contract

<a id="s1"></a>

## §1 Things

| Operation | Response |
| --- | --- |
| \`GET /things\` | all |
| \`GET /things/{thingId}\` | one |
| \`DELETE /things/{thingId}\` | 204 |

As \`GET /things\` says.

## §2 Payments

| Payment type | What |
| --- | --- |
| \`swift\` | fast |
| \`giro\` | slow |

| Operation | Response |
| --- | --- |
| \`POST /payments/{payment-type}\` | 201 |

## §Sandbox Sandbox differences
`;

const ROUTES = `
import { listThings } from './list-things.ts';
import { findThing } from './thing.repository.ts';
import { thingToWire } from './thing.wire.ts';

export function thingsRoutes({ db }) {
  return [
    { method: 'GET', path: '/things', clause: '§1', handler: async () => thingToWire(await listThings(db)) },
    { method: 'GET', path: '/things/:id', clause: ['§1', '§Sandbox'], handler: async () => one(db) },
    { method: 'DELETE', path: '/things/:id', clause: '§1', handler: async () => one(db) },
    { method: 'POST', path: '/payments/swift', clause: '§2', handler: async () => 'swift' },
    { method: 'POST', path: '/payments/giro', clause: '§2', handler: async () => 'giro' },
  ];
}

function one(db) {
  return thingToWire(findThing(db));
}
`;

const FILES = {
  'docs/contract.md': CONTRACT,
  'services/demo/src/service.ts': `
import { thingsRoutes } from './things/things.routes.ts';
export const demo = { name: 'demo', entryPoints: () => ({ routes: { base_url: thingsRoutes({}) } }) };
`,
  'services/demo/src/things/things.routes.ts': ROUTES,
  'services/demo/src/things/list-things.ts':
    '/** All of them (§1). */\nexport const listThings = () => [];\n',
  'services/demo/src/things/thing.repository.ts': 'export const findThing = () => ({});\n',
  'services/demo/src/things/thing.wire.ts': 'export const thingToWire = () => ({});\n',
  'services/demo/test/things.test.ts':
    "describe('GET /things (§1)', () => {\n  it('lists', () => {});\n});\n",
  'services/demo/test/thing.test.ts':
    "describe('one thing (§1)', () => {\n  it('is found', () => {});\n});\n",
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kontoport-index-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes the repository of this test, with other files in place of some. */
function plant(changes: Record<string, string> = {}): void {
  for (const [path, text] of Object.entries({ ...FILES, ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Returns the faults that the check finds in a fresh index. */
async function faultsOf(changes: Record<string, string>): Promise<string[]> {
  plant(changes);
  await indexDocs(root, { check: false });
  return indexDocs(root, { check: true });
}

describe('the index', () => {
  it('leads from the clause to operation, route, use case and one test', async () => {
    expect(await faultsOf({})).toEqual([]);
    const index = readFileSync(join(root, 'docs/index.md'), 'utf8');
    const [first, second] = ['things.routes.ts', 'list-things.ts'].map(
      (name) => `[${name}](../services/demo/src/things/${name})`,
    );
    expect(index).toContain('### [§1](contract.md#s1) Things');
    expect(index.match(/`\w+ \/things.*?`/g)).toEqual([
      '`GET /things`',
      '`GET /things/{thingId}`',
      '`DELETE /things/{thingId}`',
    ]);
    expect(index).toContain(
      `| \`GET /things\` | ${first} | ${second} | [things.test.ts](../services/demo/test/things.test.ts) |`,
    );
  });

  it('names a repository without use case, the test of the routes file or of the clause without one of the operation, and one row for all payment types', async () => {
    await faultsOf({ 'services/demo/test/payments.test.ts': "it('a payment is made (§2)', () => {});\n" });
    const index = readFileSync(join(root, 'docs/index.md'), 'utf8');
    expect(index).toMatch(
      /`GET \/things\/\{thingId\}` .* \[thing\.repository\.ts\]\(.*\[things\.test\.ts\]\(/,
    );
    expect(index.match(/`POST \/payments\/.*`/g)).toEqual(['`POST /payments/{payment-type}`']);
    expect(index).toMatch(/`POST \/payments\/\{payment-type\}` .*\[payments\.test\.ts\]\(/);
    expect(index).toContain(
      '| [§1](contract.md#s1) Things | [list-things.ts](../services/demo/src/things/list-things.ts) [things.routes.ts](../services/demo/src/things/things.routes.ts) | [thing.test.ts]',
    );
  });
});

describe('the check fails on', () => {
  const route = (from: string, to: string): Record<string, string> => ({
    'services/demo/src/things/things.routes.ts': ROUTES.replace(from, to),
  });

  it('an index that is old', async () => {
    plant();
    expect(await indexDocs(root, { check: true })).toEqual(['docs/index.md is old: npm run index']);
  });

  it.each([
    ['services/demo/src/a.ts', '/** A rule (§1.1). */', '§1.1'],
    ['services/demo/test/a.test.ts', "describe('a rule (§3)', () => {});", '§3'],
    ['services/demo/src/b.ts', '// As ADR-0007 says.', 'ADR-0007'],
    ['docs/page.md', 'See [that](other.md).', 'other.md'],
    ['docs/page.md', 'It is in `services/demo/src/gone.ts`.', 'services/demo/src/gone.ts'],
    ['docs/page.md', 'See [that](contract.md#s9).', 'contract.md#s9'],
  ])('a citation in %s: %s', async (path, text, cited) => {
    const [fault, ...others] = await faultsOf({ [path]: text });
    expect(fault).toMatch(new RegExp(`^${path} cites ${cited}, which .* does not have$`));
    expect(others).toEqual([]);
  });

  it('a route without clause', async () => {
    expect(await faultsOf(route("clause: '§1', ", ''))).toEqual(['demo: GET /things has no clause']);
  });

  it('a route with a clause that the contract does not have, or another than the contract says', async () => {
    expect(await faultsOf(route("clause: '§1', ", "clause: '§9', "))).toEqual([
      'services/demo/src/things/things.routes.ts cites §9, which docs/contract.md does not have',
      'demo: GET /things has the clause §9, which docs/contract.md does not have',
      'demo: GET /things is in §1 of docs/contract.md, not in §9',
    ]);
  });

  it('a route that the contract does not have, and an operation without route', async () => {
    expect(await faultsOf(route("path: '/things',", "path: '/theses',"))).toEqual([
      'demo: GET /theses is no operation of docs/contract.md',
      'GET /things of §1 has no route',
    ]);
  });

  it('an operation that the contract mentions and has in no table', async () => {
    expect(
      await faultsOf({ 'docs/contract.md': CONTRACT.replace('As `GET /things`', 'As `PUT /things`') }),
    ).toEqual(['docs/contract.md mentions PUT /things, which no table of operations has']);
  });
});

describe('a citation', () => {
  it.each<[string, string[]]>([
    ['the limit (§4.3, §8)', ['§4.3', '§8']],
    ['contract §4.3', ['§4.3']],
    ['in §Sandbox', ['§Sandbox']],
    ['optional fields (§2.4–2.6)', ['§2.4', '§2.6']],
    ['a section such as `§4.3`, or `contract §4.4`', []],
    ['RFC 6749 §5.2', []],
    ['RFC 5280 §4.2.1.3, §4.2.1.9, §6.1.4 (n)', []],
    ['RFC 5280 §6.1.3 (d) to (f), §6.1.5 (g); X.690 §10 and §11', []],
    ['ETSI EN 319 412-5 §4.2.1; TS 119 495 §5.1, annex A', []],
    ['RFC 6749 §4.4.2; §4.1', ['§4.1']],
    [' * broken over two lines (RFC 5280\n * §4.2.1; contract\n * §4.2)', ['§4.2']],
  ])('of %j is %j', (text, cited) => {
    expect(citationsOf(text)).toEqual(cited);
  });

  it('is read from titles in any quotes', () => {
    const source = 'describe(\'a (§1)\', f);\nit.each([\n  [1],\n])("b (§2)", f);\ntest(`c ${x}`, f);\n';
    expect(titlesOf(source)).toEqual(['a (§1)', 'b (§2)', 'c ${x}']);
  });
});
