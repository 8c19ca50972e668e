// Writes proto/openapi/*.json: one OpenAPI 3.1 document for each address, made from the routes of every service, and those of
// the earlier versions that are served (earlier/*.json). With
// --check it writes nothing and fails on a document that is old or breaks a rule.
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildDocument } from '@kontoport/openapi/document';
import { buildEarlierDocument } from '@kontoport/openapi/earlier-version';
import { EARLIER_VERSIONS, type Interface, INTERFACES } from '@kontoport/openapi/interfaces';
import { lintDocument } from '@kontoport/openapi/lint';
import type { App, Service } from '@kontoport/service';

/** Writes the documents, or with `check` compares them; returns what is wrong, a sentence each. */
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
    const file = join(root, path);
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    if (check) {
      faults.push(`${path} is old: npm run openapi`);
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(`generated ${path}`);
  }
  return faults;
}

/** The file of an interface's document, from the repository's root. */
export function documentPath({ file }: Interface): string {
  return `proto/openapi/${file}.json`;
}

/** What every service serves and sends, by address; nothing of a service is opened for it. */
async function entryPointsOf(root: string): Promise<Required<Pick<App, 'routes' | 'webhooks'>>> {
  const all: Required<Pick<App, 'routes' | 'webhooks'>> = { routes: {}, webhooks: {} };
  for (const file of globSync('services/*/src/service.ts', { cwd: root }).toSorted()) {
    const exported = Object.values((await import(join(root, file))) as Record<string, unknown>);
    const services = exported.filter(isService);
    if (services.length !== 1) throw new Error(`${file} has ${services.length} services`);
    const { routes, webhooks = {} } = services[0]!.entryPoints();
    for (const { address } of INTERFACES) {
      all.routes[address] = [...(all.routes[address] ?? []), ...(routes[address] ?? [])];
      all.webhooks[address] = [...(all.webhooks[address] ?? []), ...(webhooks[address] ?? [])];
    }
  }
  return all;
}

function isService(value: unknown): value is Service {
  return typeof value === 'object' && value !== null && 'entryPoints' in value;
}

if (process.argv[1] === import.meta.filename) {
  const faults = await openapi(join(import.meta.dirname, '../..'), {
    check: process.argv.includes('--check'),
  });
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
