// npm run openapi:derived: writes the files that TPPs use, made from proto/openapi/*.json: the types of the TypeScript client.
// With --check it writes nothing and fails on an old file. npm run openapi:tools installs its generators.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from './openapi-tools.ts';
import { keepPage } from './pages/keep-page.ts';

const TYPES = 'libs/client/src/gen/openapi.ts';
/** The documents of the addresses that a TPP calls. Where two have the same path, the first counts. */
const DOCUMENTS = ['account-and-payment', 'registration', 'token'];
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly headers?: object }>>;
  readonly parameters?: readonly object[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks?: object;
  readonly components: { readonly schemas: object };
}

/** Writes the derived files, or with `check` compares them; returns the faults, a sentence each. */
export function deriveFromOpenapi(root: string, { check }: { check: boolean }): string[] {
  const documents = DOCUMENTS.map(
    (name) => JSON.parse(readFileSync(join(root, `proto/openapi/${name}.json`), 'utf8')) as Document,
  );
  return keepPage({ root, file: TYPES, text: typesOf(documents), check, command: 'npm run openapi:derived' });
}

/** The types of the requests and of the successful answers. All refusals have one type, `Error`. */
function typesOf(documents: readonly Document[]): string {
  const document = {
    openapi: '3.1.1',
    info: { title: 'Kontoport', version: '0' },
    paths: Object.fromEntries(
      documents
        .toReversed()
        .flatMap(({ paths }) => Object.entries(paths))
        .filter(([, operations]) => !Object.values(operations).every(isPage))
        .map(([path, operations]) => [path, mapValues(operations, callOf)]),
    ),
    webhooks: documents[0]!.webhooks,
    components: { schemas: Object.assign({}, ...documents.map(({ components }) => components.schemas)) },
  };
  const folder = mkdtempSync(join(tmpdir(), 'kontoport-types-'));
  try {
    const [from, to] = [join(folder, 'openapi.json'), join(folder, 'openapi.ts')];
    writeFileSync(from, JSON.stringify(document));
    const { status, stdout, stderr } = runTool('openapi-typescript', [from, '--output', to]);
    if (status !== 0) throw new Error(`openapi-typescript: ${stdout}${stderr}`);
    return readFileSync(to, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Pages are for people. */
function isPage({ responses }: Operation): boolean {
  const types = Object.keys(responses['200']?.content ?? {});
  return types.length > 0 && types.every((type) => type.startsWith('text/'));
}

/** An operation without its refusals and its headers, which every operation shares. */
function callOf({ responses, parameters = [], operationId: _id, ...operation }: Operation): object {
  return {
    ...operation,
    parameters: parameters.filter((parameter) => !('$ref' in parameter)),
    responses: mapValues(
      Object.fromEntries(Object.entries(responses).filter(([status]) => status < '300')),
      ({ headers: _headers, ...response }) => response,
    ),
  };
}

const mapValues = <From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

if (process.argv[1] === import.meta.filename) {
  const faults = deriveFromOpenapi(join(import.meta.dirname, '../..'), {
    check: process.argv.includes('--check'),
  });
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
