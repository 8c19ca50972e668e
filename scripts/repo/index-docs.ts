// npm run index: writes docs/index.md and the generated blocks of other pages. With --check it writes nothing: it fails on an
// old page, and on contract, routes, tests and citations that disagree.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { LANGUAGES } from '@kontoport/errors';
import { findFaults } from './index/check.ts';
import { renderIndex } from './index/render.ts';
import { INDEX_FILE, readRepository } from './index/repository.ts';
import { configurationBlocks } from './pages/configuration-page.ts';
import { errorsBlocks, errorsFile } from './pages/errors-page.ts';
import { certificateBlocks, questionBlocks } from './pages/guides-page.ts';
import { type Blocks, keepBlocks, keepPage } from './pages/keep-page.ts';
import { operationsBlocks } from './pages/operations-page.ts';
import { peersBlocks } from './pages/peers-page.ts';
import { sandboxBlocks } from './pages/sandbox-page.ts';

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
  const pages: readonly (readonly [file: string, blocks: Blocks])[] = [
    ...LANGUAGES.map((language) => [errorsFile(language), errorsBlocks(language)] as const),
    ['docs/configuration.md', await configurationBlocks(root)],
    ['docs/operations/backing-services.md', operationsBlocks()],
    ['docs/operations/internal-traffic.md', await peersBlocks(root)],
    ['docs/sandbox.md', await sandboxBlocks(root)],
    ['docs/guides/certificates.md', certificateBlocks()],
    ['docs/guides/questions.md', questionBlocks()],
  ];
  const faults = [
    ...pages.flatMap(([file, blocks]) => keepBlocks({ root, file, blocks, check })),
    ...(await indexDocs(root, { check })),
  ];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
