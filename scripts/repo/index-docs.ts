// Writes docs/errors.md in each language, docs/sandbox.md, docs/operations/backing-services.md and internal-traffic.md, and docs/index.md: clause → operation → route → use case → tests. With --check it writes nothing and fails on a
// page that is old, and on whatever does not hold together between contract, routes, tests and citations.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { findFaults } from './index/check.ts';
import { configurationPage } from './index/configuration-page.ts';
import { errorsPages } from './index/errors-page.ts';
import { NOT_YET } from './index/not-yet.ts';
import { operationsPage } from './index/operations-page.ts';
import { peersPage } from './index/peers-page.ts';
import { renderIndex } from './index/render.ts';
import { INDEX_FILE, readRepository } from './index/repository.ts';
import { sandboxPage } from './index/sandbox-page.ts';

/** Writes the index, or with `check` compares it; returns what is wrong, a sentence each. */
export async function indexDocs(
  root: string,
  { check, notYet = NOT_YET }: { check: boolean; notYet?: typeof NOT_YET },
): Promise<string[]> {
  const repository = await readRepository(root, notYet);
  const faults = findFaults(repository);
  const file = join(root, INDEX_FILE);
  const text = renderIndex(repository);
  const isFresh = existsSync(file) && readFileSync(file, 'utf8') === text;
  if (!check && !isFresh) writeFileSync(file, text);
  return check && !isFresh ? [...faults, `${INDEX_FILE} is old: npm run index`] : faults;
}

if (process.argv[1] === import.meta.filename) {
  // Most of the time goes into loading the services.
  enableCompileCache();
  const root = join(import.meta.dirname, '../..');
  const check = process.argv.includes('--check');
  const faults = [
    ...errorsPages(root, { check }),
    ...(await configurationPage(root, { check })),
    ...operationsPage(root, { check }),
    ...(await peersPage(root, { check })),
    ...(await sandboxPage(root, { check })),
    ...(await indexDocs(root, { check })),
  ];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
