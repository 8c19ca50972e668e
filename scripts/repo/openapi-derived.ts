import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Document, Operation } from './derived/document.ts';
import { writeCollection, writeEnvironment } from './derived/postman.ts';
import { writeTypes } from './derived/types.ts';
import { missingTool } from './openapi-tools.ts';
import { keepPage } from './pages/keep-page.ts';

/** The documents of the addresses that a TPP calls. Where two have the same path, the first counts. */
const DOCUMENTS = {
  base_url: 'account-and-payment',
  registration_url: 'registration',
  auth_url: 'token',
};

/**
 * Writes the files that TPPs use, made from the documents, or with `check` compares them: a Postman collection, and the types of the
 * TypeScript client if their generator is installed. @returns the faults, a sentence each
 */
export function deriveFromOpenapi(root: string, { check }: { check: boolean }): string[] {
  const document = mergedDocument(root);
  const keep = (file: string, text: string): string[] =>
    keepPage({ root, file, text, check, command: 'npm run openapi:tools && npm run openapi' });
  const missing = missingTool('openapi-typescript');
  if (missing !== undefined) console.error(`The types of the client stay as they are: ${missing}`);
  return [
    ...keep('proto/postman/kontoport.postman_collection.json', writeCollection(document)),
    ...keep('proto/postman/local.postman_environment.json', writeEnvironment()),
    ...(missing === undefined ? keep('libs/client/src/gen/openapi.ts', writeTypes(document)) : []),
  ];
}

/** Makes one document of those of the addresses, without pages and refusals. */
function mergedDocument(root: string): Document {
  const merged: Document = { paths: {}, webhooks: {}, components: { schemas: {} } };
  for (const [address, name] of Object.entries(DOCUMENTS)) {
    const file = join(root, `proto/openapi/${name}.json`);
    const { paths, webhooks, components } = JSON.parse(readFileSync(file, 'utf8')) as Document;
    for (const [path, operations] of Object.entries(paths)) {
      if (path in merged.paths || Object.values(operations).every(isPage)) continue;
      merged.paths[path] = mapValues(operations, (operation) => ({ ...callOf(operation), address }));
    }
    Object.assign(merged.webhooks, webhooks);
    Object.assign(merged.components.schemas, components.schemas);
  }
  return merged;
}

/** Pages are for people. */
function isPage({ responses }: Operation): boolean {
  const types = Object.keys(responses['200']?.content ?? {});
  return types.length > 0 && types.every((type) => type.startsWith('text/'));
}

/** An operation without its refusals, and without the headers that all operations share. */
function callOf({ responses, parameters = [], ...operation }: Operation): Operation {
  const answers = Object.entries(responses).filter(([status]) => status < '300');
  return {
    ...operation,
    parameters: parameters.filter((parameter) => !('$ref' in parameter)),
    responses: mapValues(Object.fromEntries(answers), ({ headers: _headers, ...response }) => response),
  };
}

const mapValues = <From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
