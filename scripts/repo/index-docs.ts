// Writes docs/index.md and the other pages that are made from code. With --check it writes nothing: it fails on a page that
// is old, and on anything that does not fit between contract, routes, tests and citations.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { findFaults } from './index/check.ts';
import { renderIndex } from './index/render.ts';
import { INDEX_FILE, readRepository } from './index/repository.ts';
import { configurationPage } from './pages/configuration-page.ts';
import { errorsPages } from './pages/errors-page.ts';
import { keepPage } from './pages/keep-page.ts';
import { operationsPage } from './pages/operations-page.ts';
import { peersPage } from './pages/peers-page.ts';
import { sandboxPage } from './pages/sandbox-page.ts';

/** Writes the index, or with `check` compares it. @returns the faults, one sentence each */
export async function indexDocs(root: string, { check }: { check: boolean }): Promise<string[]> {
  const repository = await readRepository(root);
  const text = renderIndex(repository);
  return [...findFaults(repository), ...keepPage({ root, file: INDEX_FILE, text, check })];
}

if (process.argv[1] === import.meta.filename) {
  // Loading the services takes most of the time.
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
