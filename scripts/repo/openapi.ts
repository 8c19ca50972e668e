// Writes proto/openapi/*.json: one OpenAPI 3.1 document for each address, made from the routes of every service, and those of
// the earlier versions that are served (earlier/*.json). Then the files that are made from them: types of the client, a collection. With
// --check it writes nothing and fails on a document that is old or breaks a rule.
import { join } from 'node:path';
import { buildDocument } from '@kontoport/openapi/document';
import { buildEarlierDocument } from '@kontoport/openapi/earlier-version';
import { EARLIER_VERSIONS, type Interface, INTERFACES } from '@kontoport/openapi/interfaces';
import { lintDocument } from '@kontoport/openapi/lint';
import type { App } from '@kontoport/service';
import { deriveFromOpenapi } from './openapi-derived.ts';
import { keepPage } from './pages/keep-page.ts';
import { loadServices } from './services.ts';

/** Writes the documents, or with `check` compares them; returns the faults, a sentence each. */
export async function openapi(root: string, { check }: { check: boolean }): Promise<string[]> {
  const { routes, webhooks } = await entryPointsOf(root);
  const faults: string[] = [];
  const documents = [
    ...INTERFACES.map((described) => ({
      described,
      document: buildDocument(described, routes[described.address] ?? [], webhooks[described.address]),
    })),
    ...EARLIER_VERSIONS.flatMap((described) => {
      const document = buildEarlierDocument(described, routes[described.address] ?? []);
      return document === undefined ? [] : [{ described, document }];
    }),
  ];
  for (const { described, document } of documents) {
    const path = documentPath(described);
    for (const fault of await lintDocument(document)) faults.push(`${path}${fault}`);
    const text = `${JSON.stringify(document, null, 2)}\n`;
    faults.push(...keepPage({ root, file: path, text, check, command: 'npm run openapi' }));
  }
  return faults;
}

/** The file of an interface's document, from the repository's root. */
export function documentPath({ file }: Interface): string {
  return `proto/openapi/${file}.json`;
}

/** Collects the routes and webhooks of every service, by address. */
async function entryPointsOf(root: string): Promise<Required<Pick<App, 'routes' | 'webhooks'>>> {
  const all: Required<Pick<App, 'routes' | 'webhooks'>> = { routes: {}, webhooks: {} };
  for (const { service } of await loadServices(root)) {
    const { routes, webhooks = {} } = service.entryPoints();
    for (const { address } of INTERFACES) {
      all.routes[address] = [...(all.routes[address] ?? []), ...(routes[address] ?? [])];
      all.webhooks[address] = [...(all.webhooks[address] ?? []), ...(webhooks[address] ?? [])];
    }
  }
  return all;
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '../..');
  const check = process.argv.includes('--check');
  const faults = [...(await openapi(root, { check })), ...deriveFromOpenapi(root, { check })];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
